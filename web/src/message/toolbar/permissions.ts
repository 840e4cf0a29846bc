/** Permitted actions of a reader on a message. The hub decides; the page only hides actions that it would refuse. */
import type { Me, Message, Snapshot } from '../../api/model';
import { whyReadOnly } from '../../state/selectors';

export interface MessagePermissions {
  /** Only messages of channels have threads. */
  readonly thread: boolean;
  readonly quote: boolean;
  readonly react: boolean;
  readonly edit: boolean;
  readonly remove: boolean;
  /** Only while it is streaming. */
  readonly stop: boolean;
}

export const NO_PERMISSIONS: MessagePermissions = {
  thread: false,
  quote: false,
  react: false,
  edit: false,
  remove: false,
  stop: false,
};

/** `message.seq` is 0 while it is being sent: nothing can be done with it. */
export function permissionsFor(message: Message, me: Me, snapshot: Snapshot | undefined): MessagePermissions {
  if (message.removed_at || message.seq === 0 || !snapshot) return NO_PERMISSIONS;
  const isOpen = whyReadOnly(snapshot, message.to) === undefined;
  const isMine = message.from.type === 'person' && message.from.id === me.member_id;
  const isStreaming = message.state === 'streaming';
  const owns = me.role === 'admin' || snapshot.project.owner === me.member_id;
  return {
    thread: isOpen && message.type === 'channel',
    quote: isOpen,
    react: isOpen,
    edit: isOpen && isMine && !isStreaming,
    remove: isMine || owns,
    stop: isOpen && isStreaming,
  };
}
