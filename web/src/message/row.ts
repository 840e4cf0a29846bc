/** The data that the components of one message row share. */
import { type Accessor, createMemo } from 'solid-js';
import type { Me, Message } from '../api/model';
import type { MessageList, Outgoing } from '../state/contract';
import type { Presentation } from './presentation';

/** The list that contains the row: a thread's first message is in both. */
export type ListScope = 'conversation' | 'thread';

/** Rows that only scroll past load nothing. */
export const LOAD_DELAY_MS = 150;

export interface Row {
  readonly messageList: MessageList;
  readonly scope: ListScope;
  /** The stored message or the outgoing one: the same components show both, so nothing is rebuilt. */
  readonly message: Accessor<Message>;
  readonly presentation: Accessor<Presentation>;
  /** Set while the message is not stored yet. */
  readonly outgoing: Accessor<Outgoing | undefined>;
  readonly isMine: Accessor<boolean>;
}

/** Returns a key that distinguishes the rows of one message in the conversation and in the pane. */
export function rowKey(scope: string, messageId: string): string {
  return `${scope}/${messageId}`;
}

export function rowKeyOf(row: Row): string {
  return rowKey(row.scope, row.message().id);
}

/** Returns an outgoing message as it will look when it is stored. It has no number yet. */
export function outgoingAsMessage(outgoing: Outgoing, me: Pick<Me, 'member_id' | 'name'>): Message {
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

function typeOf(conversationId: string): Message['type'] {
  if (conversationId.startsWith('thr_')) return 'thread';
  return conversationId.startsWith('dm_') ? 'dm' : 'channel';
}

/** Returns one field as a memo: its readers run when the field changes, not with every reaction. */
export function fieldOf<Field extends keyof Message>(row: Row, field: Field): Accessor<Message[Field]> {
  return createMemo(() => row.message()[field]);
}
