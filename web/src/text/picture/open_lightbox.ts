/** Opens pictures of a message large. What shows them is loaded when the first is opened. */
import type { Picture } from './Lightbox';

/** When the hub is away there is nothing better to show than what the message has. */
export function openLightbox(pictures: readonly Picture[], index: number): void {
  import('./Lightbox').then(
    (file) => file.openLightbox(pictures, index),
    () => {},
  );
}
