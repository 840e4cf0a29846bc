/** The keyboard listener for shortcuts. */
import { IS_MAC, isCharacter, isPressed, type Press, parseKeys } from './keys';
import { focusNextRegion } from './regions';
import { onShortcut, runShortcut, SHORTCUTS } from './shortcuts';

/** How long the first key of a sequence is remembered. */
const SEQUENCE_MS = 1_500;

interface Row {
  readonly id: string;
  readonly presses: readonly Press[];
}

const ROWS: readonly Row[] = SHORTCUTS.filter((one) => !one.isLocal).map(({ id, keys }) => ({
  id,
  presses: parseKeys(keys),
}));

/** Handles shortcuts until the returned function is called; `letterKeys` enables single characters. */
export function listenForShortcuts(letterKeys: () => boolean, isMac: boolean = IS_MAC): () => void {
  let begun: { row: Row; at: number }[] = [];
  const onKeyDown = (event: KeyboardEvent) => {
    if (isHandledElsewhere(event)) return;
    const counts = (press: Press) => isPressed(event, press, isMac) && mayHandle(press, event, letterKeys());
    const ended = begun.find(({ row, at }) => {
      const [, second] = row.presses;
      return second !== undefined && event.timeStamp - at <= SEQUENCE_MS && counts(second);
    })?.row;
    const started = ROWS.filter(({ presses: [first] }) => first !== undefined && counts(first));
    begun = ended ? [] : started.filter((row) => row.presses.length > 1).map((row) => ({ row, at: event.timeStamp }));
    // A key may have different meanings in different views: the first handler that accepts it wins.
    const rows = ended ? [ended] : started.filter((one) => one.presses.length === 1);
    if (rows.some((row) => runShortcut(row.id))) event.preventDefault();
  };
  const endRegion = onShortcut('region', focusNextRegion);
  // On the window: listeners closer to the target come first and may stop the event.
  addEventListener('keydown', onKeyDown);
  return () => {
    endRegion();
    removeEventListener('keydown', onKeyDown);
  };
}

/** The event was handled already, an input method is active, or a dialog is open. */
function isHandledElsewhere(event: KeyboardEvent): boolean {
  return event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]') !== null;
}

const KEYS_OF_FIELDS = new Set(['End', 'Delete']);

/** In a field, keys that type or move the caret belong to the field. */
function mayHandle(press: Press, event: KeyboardEvent, letterKeys: boolean): boolean {
  if (isCharacter(press)) return letterKeys && !isInField(event);
  return !KEYS_OF_FIELDS.has(press.key) || !isInField(event);
}

const FIELDS = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]';

function isInField(event: Event): boolean {
  return event.target instanceof Element && event.target.closest(FIELDS) !== null;
}
