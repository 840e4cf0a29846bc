/** Puts a text into a field as if it had been typed, so that the browser's own undo knows of it. */
export function replaceText(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus();
  field.setSelectionRange(start, end);
  // Old, but nothing else keeps the history of the field.
  const isTyped = document.execCommand?.(text === '' ? 'delete' : 'insertText', false, text) ?? false;
  if (isTyped) return;
  field.setRangeText(text, start, end, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
