/** Topic, members and settings of the open conversation, in the pane. */
export function DetailsPane(props: { conversationId: string; onClose(): void }) {
  return <section aria-label="Details">{props.conversationId}</section>;
}
