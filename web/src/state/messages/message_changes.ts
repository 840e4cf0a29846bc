/** Applies changes to a message. Pure; returns the same object when nothing changes. */
import type { QuestionChange, ReactionChange } from '../../api/events';
import type { Message, Thread } from '../../api/model';

export function reacted(message: Message, { emoji, member_id }: ReactionChange): Message {
  const reactions = message.reactions ?? [];
  const index = reactions.findIndex((reaction) => reaction.emoji === emoji);
  const known = reactions[index];
  if (message.removed_at || known?.members.includes(member_id)) return message;
  if (!known) return { ...message, reactions: [...reactions, { emoji, members: [member_id] }] };
  return { ...message, reactions: reactions.with(index, { emoji, members: [...known.members, member_id] }) };
}

export function unreacted(message: Message, { emoji, member_id }: ReactionChange): Message {
  const reactions = message.reactions ?? [];
  const index = reactions.findIndex((reaction) => reaction.emoji === emoji && reaction.members.includes(member_id));
  const known = reactions[index];
  if (!known) return message;
  const members = known.members.filter((member) => member !== member_id);
  const next = members.length > 0 ? reactions.with(index, { emoji, members }) : reactions.toSpliced(index, 1);
  if (next.length > 0) return { ...message, reactions: next };
  const { reactions: _, ...bare } = message;
  return bare;
}

export function linked(message: Message, thread: Thread): Message {
  return message.thread_id === thread.id ? message : { ...message, thread_id: thread.id };
}

export function asked(message: Message, { question }: QuestionChange): Message {
  if (message.removed_at || JSON.stringify(message.question) === JSON.stringify(question)) return message;
  return { ...message, question };
}
