/** Opens the lightbox; its code is loaded with the first use. */
import type { Picture } from './Lightbox';

/** When the hub is unreachable the message keeps its small image. */
export function openLightbox(pictures: readonly Picture[], index: number): void {
  import('./Lightbox').then(
    (file) => file.openLightbox(pictures, index),
    () => {},
  );
}
