/** Shows pictures large, above the page. */
export function openLightbox(images: readonly { src: string; alt: string }[], index: number): void {
  const image = images[index];
  if (image) open(image.src, '_blank', 'noopener');
}
