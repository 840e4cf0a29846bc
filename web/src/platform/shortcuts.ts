/** The table of all shortcuts; the keyboard and the list behind `?` use it. */

export interface Shortcut {
  readonly id: string;
  /** As shown: `Ctrl+K`; on a Mac `Ctrl` is `⌘` and `Alt` is `⌥`. A sequence: `G S`. */
  readonly keys: string;
  readonly does: string;
  readonly group: 'Everywhere' | 'Conversation' | 'Inbox' | 'Composer';
  /** Handled by the field itself; listed only. */
  readonly isLocal?: boolean;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { id: 'palette', keys: 'Ctrl+K', does: 'Find a conversation, a member, a message or a command', group: 'Everywhere' },
  { id: 'sheet', keys: '?', does: 'Show this list', group: 'Everywhere' },
  { id: 'previous', keys: 'Alt+ArrowUp', does: 'Previous conversation', group: 'Everywhere' },
  { id: 'next', keys: 'Alt+ArrowDown', does: 'Next conversation', group: 'Everywhere' },
  { id: 'previous-unread', keys: 'Alt+Shift+ArrowUp', does: 'Previous unread conversation', group: 'Everywhere' },
  { id: 'next-unread', keys: 'Alt+Shift+ArrowDown', does: 'Next unread conversation', group: 'Everywhere' },
  { id: 'search', keys: 'G S', does: 'Search', group: 'Everywhere' },
  { id: 'needs-you', keys: 'G N', does: 'Needs you', group: 'Everywhere' },
  { id: 'inbox', keys: 'G I', does: 'Inbox', group: 'Everywhere' },
  { id: 'runs', keys: 'G R', does: 'Runs', group: 'Everywhere' },
  { id: 'settings', keys: 'G P', does: 'Settings', group: 'Everywhere' },
  { id: 'region', keys: 'F6', does: 'Next region of the page', group: 'Everywhere' },
  { id: 'pane', keys: 'Ctrl+.', does: 'Open or close the pane', group: 'Everywhere' },
  { id: 'close', keys: 'Escape', does: 'Close the open list, dialog or pane', group: 'Everywhere' },
  { id: 'next-message', keys: 'J', does: 'Next message', group: 'Conversation' },
  { id: 'previous-message', keys: 'K', does: 'Previous message', group: 'Conversation' },
  { id: 'reply', keys: 'R', does: 'Reply to the message', group: 'Conversation' },
  { id: 'edit', keys: 'E', does: 'Edit your message', group: 'Conversation' },
  { id: 'react', keys: 'A', does: 'React to the message', group: 'Conversation' },
  { id: 'copy', keys: 'C', does: 'Copy the text', group: 'Conversation' },
  { id: 'remove', keys: 'Delete', does: 'Delete the message', group: 'Conversation' },
  {
    id: 'option',
    keys: '1',
    does: 'Choose the first option of a question; 2 to 9 choose the others',
    group: 'Conversation',
    isLocal: true,
  },
  { id: 'ignore', keys: 'I', does: 'Ignore a question', group: 'Conversation' },
  { id: 'newest', keys: 'End', does: 'Newest message', group: 'Conversation' },
  { id: 'mark-read', keys: 'Shift+Escape', does: 'Mark the conversation as read', group: 'Conversation' },
  { id: 'inbox-read', keys: 'E', does: 'Mark as read up to the message', group: 'Inbox' },
  { id: 'inbox-read-all', keys: 'Shift+E', does: 'Mark all as read', group: 'Inbox' },
  { id: 'send', keys: 'Enter', does: 'Send', group: 'Composer', isLocal: true },
  { id: 'new-line', keys: 'Shift+Enter', does: 'New line', group: 'Composer', isLocal: true },
  {
    id: 'edit-last',
    keys: 'ArrowUp',
    does: 'Edit your last message, when the field is empty',
    group: 'Composer',
    isLocal: true,
  },
  { id: 'clear', keys: 'Escape', does: 'Clear the field (can be undone)', group: 'Composer', isLocal: true },
  { id: 'mention', keys: '@', does: 'Mention someone', group: 'Composer', isLocal: true },
  { id: 'command', keys: '/', does: 'Commands', group: 'Composer', isLocal: true },
];

export type ShortcutHandler = () => void;
const handlers = new Map<string, ShortcutHandler[]>();

/** Handles a shortcut until the returned function is called; the newest handler of an id wins. */
export function onShortcut(id: string, handler: ShortcutHandler): () => void {
  const list = handlers.get(id) ?? [];
  handlers.set(id, [...list, handler]);
  return () => {
    handlers.set(
      id,
      (handlers.get(id) ?? []).filter((one) => one !== handler),
    );
  };
}

/** Runs a shortcut; returns false when nothing handles it. */
export function runShortcut(id: string): boolean {
  const handler = handlers.get(id)?.at(-1);
  handler?.();
  return handler !== undefined;
}
