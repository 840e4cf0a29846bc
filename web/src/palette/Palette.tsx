/** Ctrl/⌘+K: conversations, members, commands and messages in one field. */
export function Palette() {
  return null;
}
