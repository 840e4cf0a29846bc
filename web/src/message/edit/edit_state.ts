/** The message that is being edited. The typed text survives unmounting of its row. */
import { createRoot, createSelector, createSignal } from 'solid-js';

interface Editing {
  readonly messageId: string;
  /** Undefined until something was changed. */
  readonly text?: string | undefined;
  /** The element that gets the focus back. */
  readonly before: Element | null;
}

const { editing, setEditing, isEdited } = createRoot(() => {
  const [editing, setEditing] = createSignal<Editing>();
  return { editing, setEditing, isEdited: createSelector(() => editing()?.messageId) };
});

/** Whether this message is being edited. */
export { isEdited };

/** Starts editing, optionally with another text. */
export function startEditing(messageId: string, text?: string): void {
  if (editing()?.messageId === messageId && text === undefined) return;
  setEditing({ messageId, text, before: document.activeElement });
}

export function keepTyped(text: string): void {
  setEditing((now) => now && { ...now, text });
}

/** Returns the typed text of this message. */
export function typedText(messageId: string): string | undefined {
  const now = editing();
  return now?.messageId === messageId ? now.text : undefined;
}

/** Ends editing and returns the focus; returns false when there is no element to focus. */
export function stopEditing(): boolean {
  const before = editing()?.before;
  setEditing(undefined);
  if (!(before instanceof HTMLElement) || !before.isConnected || before === document.body) return false;
  before.focus();
  return true;
}
