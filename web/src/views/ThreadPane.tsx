/** A thread in the pane: its first message, the replies, a composer. */
export function ThreadPane(props: { threadId: string; onClose(): void }) {
  return <section aria-label="Thread">{props.threadId}</section>;
}
