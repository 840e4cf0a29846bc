/** Lifts a list above everything, beside what opened it, until the returned function is called. */
import { positionBeside } from './popover_position';
import './popover.css';

export interface PopoverOptions {
  readonly anchor: HTMLElement;
  readonly align?: 'start' | 'end';
  /** The list is as wide as its anchor at least. */
  readonly isWide?: boolean;
  /** The reader pressed a pointer elsewhere. */
  onLeave(): void;
}

/** The element has the attribute `popover="manual"`: the browser's own closing would take the focus its own way. */
export function liftPopover(element: HTMLElement, wish: PopoverOptions): () => void {
  element.showPopover?.();
  const place = () => setPlace(element, wish);
  const leave = (event: Event) => {
    const at = event.target as Node;
    if (!element.contains(at) && !wish.anchor.contains(at)) wish.onLeave();
  };
  place();
  const resized = new ResizeObserver(place);
  resized.observe(element);
  resized.observe(wish.anchor);
  addEventListener('resize', place);
  addEventListener('scroll', place, { capture: true, passive: true });
  addEventListener('pointerdown', leave, { capture: true });
  return () => {
    resized.disconnect();
    removeEventListener('resize', place);
    removeEventListener('scroll', place, { capture: true });
    removeEventListener('pointerdown', leave, { capture: true });
    if (element.isConnected) element.hidePopover?.();
  };
}

function setPlace(element: HTMLElement, wish: PopoverOptions): void {
  const anchor = wish.anchor.getBoundingClientRect();
  if (wish.isWide) element.style.minWidth = `${anchor.width}px`;
  const size = { width: element.offsetWidth, height: element.scrollHeight + 2 };
  const place = positionBeside(anchor, size, { width: innerWidth, height: innerHeight }, wish.align ?? 'start');
  element.style.left = `${place.left}px`;
  element.style.top = `${place.top}px`;
  element.style.maxHeight = `${place.heightMax}px`;
}
