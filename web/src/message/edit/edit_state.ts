/** Which message is being edited in its place. What was typed is kept when its row leaves the page and comes back. */
import { createRoot, createSelector, createSignal } from 'solid-js';

interface Editing {
  readonly messageId: string;
  /** The text as typed so far; undefined until something was changed. */
  readonly text?: string | undefined;
  /** Who had the keyboard before, and gets it back. */
  readonly before: Element | null;
}

const { editing, setEditing, isEdited } = createRoot(() => {
  const [editing, setEditing] = createSignal<Editing>();
  return { editing, setEditing, isEdited: createSelector(() => editing()?.messageId) };
});

/** Whether the text of this message is a field now. */
export { isEdited };

/** Makes the text of a message a field, perhaps with another text in it. */
export function startEditing(messageId: string, text?: string): void {
  if (editing()?.messageId === messageId && text === undefined) return;
  setEditing({ messageId, text, before: document.activeElement });
}

/** Remembers what was typed. */
export function keepTyped(text: string): void {
  setEditing((now) => now && { ...now, text });
}

/** What was typed into the field of this message. */
export function typedText(messageId: string): string | undefined {
  const now = editing();
  return now?.messageId === messageId ? now.text : undefined;
}

/** Ends editing, and gives the keyboard back; false when there is nobody to give it to. */
export function stopEditing(): boolean {
  const before = editing()?.before;
  setEditing(undefined);
  if (!(before instanceof HTMLElement) || !before.isConnected || before === document.body) return false;
  before.focus();
  return true;
}
