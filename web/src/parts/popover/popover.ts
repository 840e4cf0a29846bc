/** Shows a popover beside its anchor until the returned function is called. */
import { positionBeside } from './popover_position';
import './popover.css';

export interface PopoverOptions {
  readonly anchor: HTMLElement;
  readonly align?: 'start' | 'end';
  /** At least as wide as its anchor. */
  readonly isWide?: boolean;
  /** The pointer was pressed elsewhere. */
  onLeave(): void;
}

/** The element has `popover="manual"`: the browser's own closing would move the focus. */
export function showPopoverAt(element: HTMLElement, options: PopoverOptions): () => void {
  element.showPopover?.();
  const position = () => setPosition(element, options);
  const leave = (event: Event) => {
    const at = event.target as Node;
    if (!element.contains(at) && !options.anchor.contains(at)) options.onLeave();
  };
  position();
  const resized = new ResizeObserver(position);
  resized.observe(element);
  resized.observe(options.anchor);
  addEventListener('resize', position);
  addEventListener('scroll', position, { capture: true, passive: true });
  addEventListener('pointerdown', leave, { capture: true });
  return () => {
    resized.disconnect();
    removeEventListener('resize', position);
    removeEventListener('scroll', position, { capture: true });
    removeEventListener('pointerdown', leave, { capture: true });
    if (element.isConnected) element.hidePopover?.();
  };
}

function setPosition(element: HTMLElement, options: PopoverOptions): void {
  const anchor = options.anchor.getBoundingClientRect();
  if (options.isWide) element.style.minWidth = `${anchor.width}px`;
  const size = { width: element.offsetWidth, height: element.scrollHeight + 2 };
  const position = positionBeside(anchor, size, { width: innerWidth, height: innerHeight }, options.align ?? 'start');
  element.style.left = `${position.left}px`;
  element.style.top = `${position.top}px`;
  element.style.maxHeight = `${position.heightMax}px`;
}
