/** The width of the pane, chosen by the reader and kept in the browser. */
import { createSignal } from 'solid-js';
import { browserStorage } from '../../state/storage';

export const PANE_WIDTH_MIN = 320;
export const PANE_WIDTH_MAX = 560;
const PANE_WIDTH = 336;
const KEY_STEP = 16;
const STORAGE_KEY = 'parlour.pane';

const [paneWidth, setSignal] = createSignal(clampWidth(Number(browserStorage().get(STORAGE_KEY) ?? PANE_WIDTH)));

export { paneWidth };

export function setPaneWidth(width: number): void {
  setSignal(clampWidth(width));
  browserStorage().set(STORAGE_KEY, paneWidth());
}

/** Clamps a width; an invalid number is the default width. */
export function clampWidth(width: number): number {
  if (Number.isNaN(width)) return PANE_WIDTH;
  return Math.round(Math.min(PANE_WIDTH_MAX, Math.max(PANE_WIDTH_MIN, width)));
}

/** Returns the width after a key on the separator; undefined for other keys. */
export function widthAfterKey(width: number, key: string): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return clampWidth(width + KEY_STEP);
    case 'ArrowRight':
      return clampWidth(width - KEY_STEP);
    case 'Home':
      return PANE_WIDTH_MIN;
    case 'End':
      return PANE_WIDTH_MAX;
    default:
      return undefined;
  }
}
