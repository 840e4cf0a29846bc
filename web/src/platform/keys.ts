/** Parses the keys of the shortcut table and formats them. Pure. */

/** One key press. `ctrl` is ⌘ on a Mac. */
export interface Press {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly key: string;
}

export type KeyEvent = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>;

export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** Parses `Ctrl+K`, or `G S` as two presses. */
export function parseKeys(keys: string): readonly Press[] {
  return keys.split(' ').map((press) => {
    const parts = press.split('+');
    const has = (name: string) => parts.includes(name);
    return { ctrl: has('Ctrl'), alt: has('Alt'), shift: has('Shift'), key: parts.at(-1) ?? '' };
  });
}

export function isPressed(event: KeyEvent, press: Press, isMac: boolean): boolean {
  const [ctrl, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (ctrl !== press.ctrl || other || event.altKey !== press.alt) return false;
  // The layout decides which key produces a sign such as `?`, and whether with Shift.
  const isSign = press.key.length === 1 && !isLetter(press.key);
  if (!isSign && event.shiftKey !== press.shift) return false;
  return keyOf(event) === press.key.toLowerCase();
}

/** A single character without a modifier: speech input or a slip can type it by accident. */
export function isCharacter(press: Press): boolean {
  return press.key.length === 1 && !press.ctrl && !press.alt;
}

/** Returns the labels of the keys: `Ctrl+K` is `⌘ K` on a Mac. */
export function keyCaps(keys: string, isMac: boolean = IS_MAC): readonly (readonly string[])[] {
  const names = { ...KEY_LABELS, ...(isMac ? MAC : {}) };
  return keys.split(' ').map((press) => press.split('+').map((part) => names[part] ?? part));
}

const KEY_LABELS: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' };
const MAC: Readonly<Record<string, string>> = { Ctrl: '⌘', Alt: '⌥', Shift: '⇧', Enter: '↩' };

/** Returns the Latin letter of a key: on a Cyrillic or Greek layout, the one in its position. */
function keyOf(event: KeyEvent): string {
  const isForeign = event.key.length === 1 && event.key > '\u007f';
  const place = isForeign && /^Key([A-Z])$/.exec(event.code);
  return (place ? (place[1] ?? '') : event.key).toLowerCase();
}

function isLetter(key: string): boolean {
  return key.toLowerCase() !== key.toUpperCase();
}
