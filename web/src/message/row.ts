/** What the parts of one row share. */
import { type Accessor, createMemo } from 'solid-js';
import type { Me, Message } from '../api/model';
import type { MessageList, Outgoing } from '../state/contract';
import type { Presentation } from './presentation';

/** Where a row stands: a thread's first message is in both. */
export type ListScope = 'conversation' | 'thread';

export interface Row {
  readonly messageList: MessageList;
  readonly place: ListScope;
  /** The stored message, or the echo of one on its way: the same parts show both, so nothing is built anew. */
  readonly message: Accessor<Message>;
  readonly presentation: Accessor<Presentation>;
  /** Set while the message is not yet stored. */
  readonly outgoing: Accessor<Outgoing | undefined>;
  readonly isMine: Accessor<boolean>;
}

/** Tells rows apart, also when one message stands in the conversation and in the pane. */
export function rowKey(place: string, messageId: string): string {
  return `${place}/${messageId}`;
}

export function keyOf(row: Row): string {
  return rowKey(row.place, row.message().id);
}

/** A message on its way as it will look when the hub has it. It has no number yet. */
export function echoOf(outgoing: Outgoing, me: Pick<Me, 'member_id' | 'name'>): Message {
  return {
    id: outgoing.id,
    project_id: outgoing.projectId,
    type: typeOf(outgoing.conversationId),
    to: outgoing.conversationId,
    seq: 0,
    from: { type: 'person', id: me.member_id, name: me.name },
    kind: 'user',
    body: outgoing.body,
    importance: outgoing.importance,
    blocking: outgoing.blocking,
    reply_to: outgoing.replyTo ?? null,
    attachments: [...outgoing.attachments],
    context: { project_id: outgoing.projectId },
    state: 'complete',
    created_at: new Date(outgoing.at).toISOString(),
  };
}

/** Ids say what they are of. */
function typeOf(conversationId: string): Message['type'] {
  if (conversationId.startsWith('thr_')) return 'thread';
  return conversationId.startsWith('dm_') ? 'dm' : 'channel';
}

/** One field of the message: its readers run when the field changes, not with every reaction. */
export function fieldOf<Field extends keyof Message>(row: Row, field: Field): Accessor<Message[Field]> {
  return createMemo(() => row.message()[field]);
}
