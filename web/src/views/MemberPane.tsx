/** A person or an agent in the pane: what it is, whether it is there, write to it. */
export function MemberPane(props: { memberId: string; onClose(): void }) {
  return <section aria-label="Member">{props.memberId}</section>;
}
