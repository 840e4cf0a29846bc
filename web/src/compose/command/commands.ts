/** The table of slash commands for suggestions, the parser and the help. Pure. */
import type { Importance } from '../../api/model';
import { proposeNames } from '../suggest/similar_names';

/** The kind of conversation that a command is used in. */
export type CommandConversation =
  | { readonly type: 'channel'; readonly isPrivate: boolean; readonly mayManage: boolean }
  | { readonly type: 'thread' | 'dm' };

export interface Command {
  readonly name: CommandName;
  /** The arguments as shown: `NAME TEXT`. */
  readonly usage: string;
  readonly does: string;
  readonly takes: 'nothing' | 'text' | 'member';
  /** Returns whether the command is available there; without it, always. */
  fits?(place: CommandConversation): boolean;
}

export type CommandName =
  | 'dm'
  | 'topic'
  | 'invite'
  | 'channel'
  | 'search'
  | 'high'
  | 'critical'
  | 'wait'
  | 'ask'
  | 'stop'
  | 'guard'
  | 'archive'
  | 'leave'
  | 'help';

const isManaged = (place: CommandConversation) => place.type === 'channel' && place.mayManage;
const isPrivate = (place: CommandConversation) => place.type === 'channel' && place.isPrivate;

export const COMMANDS: readonly Command[] = [
  { name: 'dm', usage: 'NAME TEXT', does: 'Send a direct message', takes: 'member' },
  { name: 'search', usage: 'WORDS', does: 'Search all messages', takes: 'text' },
  { name: 'high', usage: 'TEXT', does: 'With high importance', takes: 'text' },
  { name: 'critical', usage: 'TEXT', does: 'With critical importance', takes: 'text' },
  { name: 'wait', usage: 'TEXT', does: 'Ask and wait for the answer', takes: 'text' },
  { name: 'ask', usage: 'TEXT', does: 'Ask with options and wait', takes: 'text' },
  { name: 'stop', usage: '', does: 'Stop answers in this conversation', takes: 'nothing' },
  { name: 'channel', usage: 'NAME', does: 'Create a channel', takes: 'text' },
  { name: 'topic', usage: 'TEXT', does: 'Change the topic', takes: 'text', fits: isManaged },
  {
    name: 'invite',
    usage: '',
    does: 'Add a member',
    takes: 'nothing',
  },
  { name: 'leave', usage: '', does: 'Leave this channel', takes: 'nothing', fits: isPrivate },
  { name: 'archive', usage: '', does: 'Archive this channel', takes: 'nothing', fits: isManaged },
  { name: 'guard', usage: '', does: 'Reset the loop guard', takes: 'nothing' },
  { name: 'help', usage: '', does: 'Show all commands', takes: 'nothing' },
];

export type ParsedCommand =
  | { readonly type: 'text' }
  /** A text with options for this one message before it. */
  | { readonly type: 'options'; readonly importance?: Importance; readonly blocking?: true; readonly text: string }
  | { readonly type: 'command'; readonly command: Command; readonly rest: string }
  /** Looks like a command but is none: sent as text, after a hint. */
  | { readonly type: 'unknown'; readonly name: string; readonly proposals: readonly string[] };

/** Parses a text. Only known names make a command: `//`, `/usr/bin` and ` /help` are text. */
export function parseCommand(text: string): ParsedCommand {
  const [whole, name] = /^\/([a-z]+)(?=\s|$)/i.exec(text) ?? [];
  if (whole === undefined || name === undefined) return { type: 'text' };
  const command = COMMANDS.find((one) => one.name === name.toLowerCase());
  if (!command)
    return {
      type: 'unknown',
      name,
      proposals: proposeNames(
        name,
        COMMANDS.map((one) => one.name),
        1,
      ),
    };
  const rest = text.slice(whole.length).trim();
  const option = messageOptionOf(command.name);
  return option ? withMessageOption(option, rest) : { type: 'command', command, rest };
}

type MessageOption = { importance: Importance } | { blocking: true };

function messageOptionOf(name: CommandName): MessageOption | undefined {
  if (name === 'high' || name === 'critical') return { importance: name };
  return name === 'wait' ? { blocking: true } : undefined;
}

/** `/high /wait text` sets both; any other command after an option is text. */
function withMessageOption(option: MessageOption, rest: string): ParsedCommand {
  const inner = parseCommand(rest);
  return inner.type === 'options' ? { ...inner, ...option } : { type: 'options', ...option, text: rest };
}

export function commandsFor(place: CommandConversation | undefined): readonly Command[] {
  return COMMANDS.filter((command) => !command.fits || (place !== undefined && command.fits(place)));
}
