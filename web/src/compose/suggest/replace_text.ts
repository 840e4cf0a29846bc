/** Inserts a text into a field as if it were typed, so that the browser's undo works. */
export function replaceText(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus();
  field.setSelectionRange(start, end);
  // Deprecated, but nothing else keeps the undo history of the field.
  const isTyped = document.execCommand?.(text === '' ? 'delete' : 'insertText', false, text) ?? false;
  if (isTyped) return;
  field.setRangeText(text, start, end, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
