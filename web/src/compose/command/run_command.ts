/** Runs a slash command. A refusal of the hub is thrown; the typed text stays. */
import type { Channel, ConversationId } from '../../api/model';
import { openDialog } from '../../dialogs/open_dialog';
import { go } from '../../platform/router';
import type { Store } from '../../state/contract';
import { EMPTY_DRAFT } from '../../state/contract';
import { conversationOf, mayManage } from '../../state/selectors';
import { withOption } from '../question/question_draft';
import { readRecipient } from './command_recipient';
import type { CommandConversation, CommandName, ParsedCommand } from './commands';

export type CommandOutcome =
  /** The field is emptied; `words` describe a result that is not visible. */
  | { type: 'done'; words?: string; undo?: () => void }
  /** Nothing was done; `words` explain why, and the typed text stays. */
  | { type: 'kept'; words: string };

export interface CommandContext {
  readonly store: Store;
  readonly conversationId: ConversationId;
  showHelp(): void;
}

type CommandHandler = (rest: string, doing: CommandContext) => Promise<CommandOutcome> | CommandOutcome;
const DONE: CommandOutcome = { type: 'done' };

export async function runCommand(
  parsed: Extract<ParsedCommand, { type: 'command' }>,
  doing: CommandContext,
): Promise<CommandOutcome> {
  return COMMAND_HANDLERS[parsed.command.name](parsed.rest, doing);
}

const COMMAND_HANDLERS: Readonly<Record<CommandName, CommandHandler>> = {
  dm: sendDm,
  search: (query) => doneAfter(() => go({ view: 'search', query })),
  stop: stopAnswers,
  channel: createChannel,
  topic: changeTopic,
  invite: inviteMember,
  leave: (_, doing) =>
    inPrivateChannel(doing, (channel, reader) =>
      doneAfter(() => openDialog({ kind: 'remove-from-channel', channelId: channel.id, memberId: reader })),
    ),
  archive: archiveChannel,
  guard: async (_, { store, conversationId }) => {
    await store.commands.resetLoopGuard(conversationId);
    return { type: 'done', words: 'The loop guard was reset. Agents can continue here.' };
  },
  ask: askWithOptions,
  help: (_, doing) => doneAfter(doing.showHelp),
  // The parser turns these three into options; they never arrive as commands.
  high: () => DONE,
  critical: () => DONE,
  wait: () => DONE,
};

function doneAfter(lead: () => void): CommandOutcome {
  lead();
  return DONE;
}

async function sendDm(rest: string, { store }: CommandContext): Promise<CommandOutcome> {
  const projectId = store.snapshot()?.project.id;
  if (rest === '' || projectId === undefined) return doneAfter(() => openDialog({ kind: 'start-dm' }));
  const address = readRecipient(rest, [...store.members().values()]);
  if (address.type !== 'member') return { type: 'kept', words: whyNot(address) };
  const dm = await store.commands.openDm([address.member.id]);
  if (address.text !== '') store.commands.send(dm.id, { ...EMPTY_DRAFT, text: address.text });
  return doneAfter(() => go({ view: 'conversation', projectId, conversationId: dm.id }));
}

function whyNot(address: Exclude<ReturnType<typeof readRecipient>, { type: 'member' }>): string {
  if (address.type === 'several') return `Several members are called ${address.name}. Pick one from the list after @.`;
  const [first] = address.proposals;
  return `Nobody is called ${address.name}.${first ? ` ${first}?` : ''}`;
}

/** Sends nothing: opens the question editor with this text. */
function askWithOptions(text: string, { store, conversationId }: CommandContext): CommandOutcome {
  const draft = store.draft(conversationId);
  const ask = draft.ask ?? withOption(withOption(undefined));
  store.commands.setDraft(conversationId, { ...draft, text, blocking: true, ask });
  return DONE;
}

async function stopAnswers(_: string, { store, conversationId }: CommandContext): Promise<CommandOutcome> {
  const answers = store.answering(conversationId);
  if (answers.length === 0) return { type: 'done', words: 'Nobody is answering here.' };
  await Promise.all(answers.map((answer) => store.commands.cancelAnswer(answer.messageId)));
  return { type: 'done', words: `Stopped: ${answers.map((answer) => answer.name).join(', ')}.` };
}

async function createChannel(rest: string, { store }: CommandContext): Promise<CommandOutcome> {
  const name = rest.replace(/^#/, '');
  if (name === '') return doneAfter(() => openDialog({ kind: 'create-channel' }));
  const channel = await store.commands.createChannel({ name, visibility: 'project' });
  return doneAfter(() => go({ view: 'conversation', projectId: channel.project_id, conversationId: channel.id }));
}

async function changeTopic(topic: string, doing: CommandContext): Promise<CommandOutcome> {
  const channel = channelOf(doing);
  if (!channel) return { type: 'kept', words: 'Only channels have a topic.' };
  if (topic === '') return doneAfter(() => openDialog({ kind: 'edit-channel', channelId: channel.id }));
  await doing.store.commands.updateChannel(channel.id, { topic });
  return { type: 'done', words: 'Topic changed.' };
}

async function inviteMember(rest: string, doing: CommandContext): Promise<CommandOutcome> {
  const channel = channelOf(doing);
  if (channel?.visibility !== 'private') return doneAfter(() => openDialog({ kind: 'invite-people' }));
  if (rest === '') return doneAfter(() => openDialog({ kind: 'channel-members', channelId: channel.id }));
  const address = readRecipient(rest, [...doing.store.members().values()]);
  if (address.type !== 'member') return { type: 'kept', words: whyNot(address) };
  await doing.store.commands.addChannelMember(channel.id, address.member.id);
  return { type: 'done', words: `${address.member.name} is in #${channel.name} now.` };
}

function inPrivateChannel(
  doing: CommandContext,
  act: (channel: Channel, reader: string) => CommandOutcome,
): CommandOutcome {
  const channel = channelOf(doing);
  const reader = doing.store.snapshot()?.reader;
  return channel?.visibility === 'private' && reader !== undefined
    ? act(channel, reader)
    : { type: 'kept', words: 'Only private channels can be left.' };
}

async function archiveChannel(_: string, doing: CommandContext): Promise<CommandOutcome> {
  const channel = channelOf(doing);
  if (!channel) return { type: 'kept', words: 'Only channels can be archived.' };
  await doing.store.commands.setArchived(channel.id, true);
  const undo = () => void doing.store.commands.setArchived(channel.id, false);
  return { type: 'done', words: `#${channel.name} is archived.`, undo };
}

function channelOf({ store, conversationId }: CommandContext): Channel | undefined {
  const snapshot = store.snapshot();
  const conversation = snapshot && conversationOf(snapshot, conversationId);
  return conversation?.type === 'channel' ? conversation.channel : undefined;
}

/** Returns the facts about a conversation that commands depend on. */
export function commandConversationOf(store: Store, conversationId: ConversationId): CommandConversation | undefined {
  const snapshot = store.snapshot();
  const session = store.session();
  if (!snapshot) return undefined;
  const conversation = conversationOf(snapshot, conversationId);
  if (conversation?.type !== 'channel') return conversation && { type: conversation.type };
  const isManager = session.state === 'signed_in' && mayManage(snapshot, conversation.channel, session.me);
  return { type: 'channel', isPrivate: conversation.channel.visibility === 'private', mayManage: isManager };
}
