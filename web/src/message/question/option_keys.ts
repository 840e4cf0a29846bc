/** Keys `1` to `9` on a focused question. */

/** Returns the option of a key; undefined in fields and with modifiers. */
export function optionOfKey<Option>(event: KeyboardEvent, options: readonly Option[]): Option | undefined {
  if (event.defaultPrevented || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  const isField = event.target instanceof Element && event.target.matches('input, textarea, select');
  return isField || !/^[1-9]$/.test(event.key) ? undefined : options[Number(event.key) - 1];
}
