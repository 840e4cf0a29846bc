/** The words of the shortcut table, as presses of keys and as caps to show. Pure. */

/** One press. `ctrl` is ⌘ on a Mac. */
export interface Press {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly key: string;
}

/** What matters of a `KeyboardEvent`. */
export type KeyEvent = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>;

export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** Reads `Ctrl+K`, or `G S` as two presses. */
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
  // Which key gives a sign such as `?`, and whether with Shift, is the layout's affair.
  const isSign = press.key.length === 1 && !isLetter(press.key);
  if (!isSign && event.shiftKey !== press.shift) return false;
  return keyOf(event) === press.key.toLowerCase();
}

/** One character without a modifier: whoever speaks or slips types such things by chance. */
export function isCharacter(press: Press): boolean {
  return press.key.length === 1 && !press.ctrl && !press.alt;
}

/** What the caps say, press by press: `Ctrl+K` is `⌘ K` on a Mac. */
export function keyCaps(keys: string, isMac: boolean = IS_MAC): readonly (readonly string[])[] {
  const names = { ...COMMON, ...(isMac ? MAC : {}) };
  return keys.split(' ').map((press) => press.split('+').map((part) => names[part] ?? part));
}

const COMMON: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' };
const MAC: Readonly<Record<string, string>> = { Ctrl: '⌘', Alt: '⌥', Shift: '⇧', Enter: '↩' };

/** The key in Latin letters: on a Cyrillic or Greek layout, the letter that stands in its place. */
function keyOf(event: KeyEvent): string {
  const isForeign = event.key.length === 1 && event.key > '\u007f';
  const place = isForeign && /^Key([A-Z])$/.exec(event.code);
  return (place ? (place[1] ?? '') : event.key).toLowerCase();
}

function isLetter(key: string): boolean {
  return key.toLowerCase() !== key.toUpperCase();
}
