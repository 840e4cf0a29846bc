/** Reports scroll input of the reader before anything has moved, until the returned function is called. */

export type ScrollDirection = 'up' | 'down';

export function listenForScrollInput(viewport: HTMLElement, turn: (direction: ScrollDirection) => void): () => void {
  const end = new AbortController();
  const options = { signal: end.signal, passive: true };
  viewport.addEventListener('wheel', (event) => !event.ctrlKey && turnBy(event.deltaY), options);
  viewport.addEventListener('keydown', (event) => turnByKey(event, turn), options);
  listenForTouch(viewport, turnBy, options);
  listenForDrag(viewport, turnBy, options);
  return () => end.abort();

  function turnBy(down: number): void {
    if (down !== 0) turn(down < 0 ? 'up' : 'down');
  }
}

const UP_KEYS = ['ArrowUp', 'PageUp', 'Home'];
const DOWN_KEYS = ['ArrowDown', 'PageDown'];

function turnByKey(event: KeyboardEvent, turn: (direction: ScrollDirection) => void): void {
  if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')) return;
  const isSpace = event.key === ' ' && !(event.target instanceof HTMLButtonElement);
  if (UP_KEYS.includes(event.key) || (isSpace && event.shiftKey)) turn('up');
  else if (DOWN_KEYS.includes(event.key) || isSpace) turn('down');
}

type Options = AddEventListenerOptions;

function listenForTouch(viewport: HTMLElement, turnBy: (down: number) => void, options: Options): void {
  let lastY: number | undefined;
  const onTouch = ({ touches: [touch] }: TouchEvent) => {
    // The finger moves against the content: down shows what is above.
    if (touch && lastY !== undefined) turnBy(lastY - touch.clientY);
    lastY = touch?.clientY;
  };
  for (const name of ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const) {
    viewport.addEventListener(
      name,
      (event) => {
        if (name === 'touchstart') lastY = undefined;
        onTouch(event);
      },
      options,
    );
  }
}

/** A scrollbar only reports a press beside the content, and scroll events until it is released. */
function listenForDrag(viewport: HTMLElement, turnBy: (down: number) => void, options: Options): void {
  let from: number | undefined;
  const isOnScrollbar = (event: PointerEvent) =>
    event.target === viewport && event.offsetX >= viewport.clientLeft + viewport.clientWidth;
  const onPress = (event: PointerEvent) => {
    from = isOnScrollbar(event) ? viewport.scrollTop : undefined;
  };
  const onScroll = () => {
    if (from === undefined) return;
    turnBy(viewport.scrollTop - from);
    from = viewport.scrollTop;
  };
  const onLetGo = () => {
    from = undefined;
  };
  viewport.addEventListener('pointerdown', onPress, options);
  viewport.addEventListener('scroll', onScroll, options);
  viewport.ownerDocument.addEventListener('pointerup', onLetGo, options);
}
