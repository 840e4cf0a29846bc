/** Commands about writing: sending, discarding, drafts, asking again, typing. */
import { untrack } from 'solid-js';
import type { Hub } from '../../api/hub';
import type { ConversationId, Me, Message } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { type Commands, type Draft, EMPTY_DRAFT, type Outgoing, TYPING_INTERVAL_MS } from '../contract';
import type { OpenProject } from '../project/open_project';
import type { MemberWorkspace } from './member_workspace';
import { draftOf, newMessageId, OUTBOX_MAX } from './outbox';

export interface WriteCommandParts {
  readonly hub: Pick<Hub, 'message'>;
  readonly project: OpenProject;
  workspace(): MemberWorkspace;
  me(): Me;
  /** Sends a frame over the live connection, if it is open. */
  say(frame: object): void;
}

type WriteCommands = Pick<Commands, 'send' | 'retry' | 'discard' | 'setDraft' | 'askAgain' | 'noteTyping'>;

/** Nothing that these commands read is tracked, so effects may call them. */
export function createWriteCommands(parts: WriteCommandParts): WriteCommands {
  const send: Commands['send'] = (conversationId, draft, options) =>
    untrack(() => enqueueMessage(parts, conversationId, draft, options));
  let typingAt = 0;
  let typingIn: ConversationId | undefined;
  return {
    send,
    retry: (id, options) => untrack(() => sendAgain(parts.workspace(), id, options)),
    discard(id) {
      const one = untrack(() => parts.workspace().outbox.drop(id));
      return one && draftOf(one);
    },
    setDraft: (conversation, draft) => untrack(() => parts.workspace().drafts.set(conversation, draft)),
    async askAgain(answer) {
      const question = await questionOf(parts, answer);
      if (!question || question.from.id !== parts.me().member_id) return false;
      const { body: text, importance, blocking, attachments = [], reply_to, question: asked } = question;
      const ask = asked ? { ask: { options: asked.options ?? [], default: asked.default } } : {};
      send(question.to, {
        text,
        importance,
        blocking,
        attachments,
        ...ask,
        ...(reply_to ? { replyTo: reply_to } : {}),
      });
      return true;
    },
    noteTyping(conversation_id) {
      if (conversation_id === typingIn && Date.now() - typingAt < TYPING_INTERVAL_MS) return;
      [typingIn, typingAt] = [conversation_id, Date.now()];
      parts.say({ type: 'typing', conversation_id });
    },
  };
}

/** Stores a message in the outbox before anything else: from here on it cannot be lost. */
function enqueueMessage(
  { project, workspace }: WriteCommandParts,
  conversationId: ConversationId,
  draft: Draft,
  { confirmWide }: { confirmWide?: boolean } = {},
): void {
  const { outbox, drafts, sender } = workspace();
  const waiting = outbox.all();
  if (waiting.length >= OUTBOX_MAX) {
    throw new Refusal('PAGE', `${OUTBOX_MAX} messages are already waiting. Discard some of them first.`);
  }
  const { text, importance, blocking, ask, attachments, replyTo } = draft;
  const at = Math.max(Date.now(), (waiting.at(-1)?.at ?? 0) + 1);
  const one: Outgoing = {
    id: newMessageId(at),
    projectId: project.id ?? '',
    conversationId,
    body: text,
    importance,
    blocking,
    attachments,
    at,
    status: { state: 'waiting' },
    ...(blocking && ask ? { ask } : {}),
    ...(replyTo ? { replyTo } : {}),
    ...(confirmWide ? { confirmWide } : {}),
  };
  outbox.put(one);
  if (drafts.get(conversationId).text === text) drafts.set(conversationId, EMPTY_DRAFT);
  // Loads the newest messages, so that the author sees the message.
  const messageList = project.messageLists.peek(conversationId);
  if (!messageList?.loading()) void messageList?.loadNewest();
  sender.wake();
}

/** Uses the same id: the hub has not accepted it. */
function sendAgain({ outbox, sender }: MemberWorkspace, id: string, { confirmWide = false } = {}): void {
  const one = outbox.get(id);
  if (!one) return;
  outbox.put({ ...one, ...(confirmWide ? { confirmWide } : {}), status: { state: 'waiting' } });
  sender.wake();
}

/** Returns the question of an answer. */
async function questionOf({ hub, project }: WriteCommandParts, answer: Message): Promise<Message | undefined> {
  const id = answer.reply_to ?? answer.cause?.message_id;
  return id ? (project.messageLists.find(id) ?? (await hub.message(id))) : undefined;
}
