/** Keeps the page above the on-screen keyboard in browsers that overlay it. */

/** Follows the visual viewport until the returned function is called. */
export function followViewport(): () => void {
  const viewport = window.visualViewport;
  if (!viewport) return () => {};
  const apply = () => {
    // Pinch zoom shrinks the viewport too; then the page stays as it is.
    const isCovered = viewport.scale <= 1 && viewport.height < innerHeight - 1;
    const style = document.documentElement.style;
    if (isCovered) style.setProperty('--viewport-height', `${viewport.height}px`);
    else style.removeProperty('--viewport-height');
  };
  viewport.addEventListener('resize', apply);
  return () => viewport.removeEventListener('resize', apply);
}
