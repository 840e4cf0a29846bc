/** The pane: a resizable column, or a drawer on narrow screens. */
import { type JSX, onCleanup, onMount, Show } from 'solid-js';
import { giveFocus, takesFocus } from '../../platform/focus';
import { onShortcut } from '../../platform/shortcuts';
import { isNarrow } from '../screen';
import { holdsFocus, keepFocusInside } from './drawer_focus';
import { PANE_WIDTH_MAX, PANE_WIDTH_MIN, paneWidth, setPaneWidth, widthAfterKey } from './pane_width';
import './PaneFrame.css';

export function PaneFrame(props: { label: string; onClose(): void; children: JSX.Element }) {
  let pane: HTMLElement | undefined;
  const opener = document.activeElement;
  keepFocusInside(isNarrow, () => pane);
  onCleanup(onShortcut('close', () => props.onClose()));
  onMount(() => onCleanup(takesFocus('pane', 'pane', () => pane?.focus())));
  onCleanup(() => {
    if (holdsFocus(pane)) queueMicrotask(() => returnFocus(opener));
  });
  const closeByEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !isNarrow()) return;
    event.preventDefault();
    props.onClose();
  };
  return (
    <>
      <Show when={isNarrow()}>
        <div class="scrim" onPointerDown={() => props.onClose()} />
      </Show>
      <aside class="pane" aria-label={props.label} tabindex="-1" ref={pane} onKeyDown={closeByEscape}>
        <Show when={!isNarrow()}>
          <Separator />
        </Show>
        {props.children}
      </aside>
    </>
  );
}

function returnFocus(opener: Element | null): void {
  if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus();
  else giveFocus('messages');
}

/** The border of the pane: dragged, or moved by arrow keys. */
function Separator() {
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) setPaneWidth(innerWidth - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const width = widthAfterKey(paneWidth(), event.key);
    if (width === undefined) return;
    event.preventDefault();
    setPaneWidth(width);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; a focusable separator with a value can.
    <div
      class="pane-separator"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the pane"
      aria-valuemin={PANE_WIDTH_MIN}
      aria-valuemax={PANE_WIDTH_MAX}
      aria-valuenow={paneWidth()}
      tabindex="0"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={onKeyDown}
    />
  );
}
