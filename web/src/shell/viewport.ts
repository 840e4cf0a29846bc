/** Keeps the page above the keyboard of phones whose browsers lay it over the page instead of shrinking it. */

/** Follows the part of the window that can be seen, until the returned function is called. */
export function followViewport(): () => void {
  const viewport = window.visualViewport;
  if (!viewport) return () => {};
  const apply = () => {
    // Zooming by hand makes it smaller too; then the page stays as it is.
    const isCovered = viewport.scale <= 1 && viewport.height < innerHeight - 1;
    const style = document.documentElement.style;
    if (isCovered) style.setProperty('--viewport-height', `${viewport.height}px`);
    else style.removeProperty('--viewport-height');
  };
  viewport.addEventListener('resize', apply);
  return () => viewport.removeEventListener('resize', apply);
}
