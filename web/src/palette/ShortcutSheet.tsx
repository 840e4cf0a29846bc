/** The sheet behind `?`. */
export function ShortcutSheet() {
  return null;
}
