/** Completions at the caret: members after `@`, commands after a leading `/`. Pure. */
import type { Member, Presence } from '../../api/model';
import type { PresenceDot } from '../../parts/Avatar';
import { compareNames, isWordCharacter, NAME_CHARS_MAX } from '../../text/names';
import { COMMANDS, type Command } from '../command/commands';
import { SUGGESTIONS_MAX } from '../limits';
import { foldName, type MatchQuality, matchQualityOf } from './fold_name';
import { mentionStarts } from './mention_rules';

/** The range of the text that a suggestion replaces, and the text in it. */
export interface Completion {
  readonly kind: 'mention' | 'command';
  readonly start: number;
  readonly end: number;
  readonly query: string;
}

export type Suggestion =
  | { readonly type: 'member'; member: Member; presence: PresenceDot; isReader: boolean; inserts: string }
  | { readonly type: 'wide'; word: 'everyone' | 'agents'; about: string; inserts: string }
  | { readonly type: 'command'; command: Command; inserts: string };

/** The members that a text can mention, and those who read the conversation. */
export interface MentionCandidates {
  readonly members: readonly Member[];
  readonly readers: ReadonlySet<string>;
  readonly presence: ReadonlyMap<string, Presence>;
  /** The writer is not suggested. */
  readonly self: string | undefined;
}

/** Returns the completion before the caret, if there is one. */
export function completionAt(text: string, caret: number): Completion | undefined {
  return commandAt(text, caret) ?? argumentAt(text, caret) ?? mentionAt(text, caret);
}

function commandAt(text: string, caret: number): Completion | undefined {
  const typed = /^\/([a-z]*)$/i.exec(text.slice(0, caret))?.[1];
  if (typed === undefined) return undefined;
  const rest = /^[a-z]*/i.exec(text.slice(caret))?.[0] ?? '';
  if (text[caret + rest.length] === '/') return undefined;
  return { kind: 'command', start: 0, end: caret + rest.length, query: typed };
}

/** Arguments of `/dm` and similar commands are names without `@`. */
function argumentAt(text: string, caret: number): Completion | undefined {
  const [, name, blanks, query] = /^\/([a-z]+)( +)([^\n@]*)$/i.exec(text.slice(0, caret)) ?? [];
  const command = COMMANDS.find((one) => one.name === name?.toLowerCase());
  if (command?.takes !== 'member' || query === undefined) return undefined;
  return {
    kind: 'mention',
    start: 1 + command.name.length + (blanks?.length ?? 0),
    end: endOfWord(text, caret),
    query,
  };
}

function mentionAt(text: string, caret: number): Completion | undefined {
  const start = text.lastIndexOf('@', caret - 1);
  const query = text.slice(start + 1, caret);
  const isName = start >= 0 && start < caret && query.length <= NAME_CHARS_MAX && !/^\s|\n/.test(query);
  return isName && mentionStarts(text).includes(start)
    ? { kind: 'mention', start, end: endOfWord(text, caret), query }
    : undefined;
}

function endOfWord(text: string, from: number): number {
  let end = from;
  while (end < text.length && isWordCharacter(text.slice(end))) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}

/**
 * Returns matching members: readers of the conversation first, then by match, then by presence; wide mentions after
 * readers.
 */
export function suggestMembers(query: string, candidates: MentionCandidates): Suggestion[] {
  const ranked = candidates.members
    .filter((member) => member.id !== candidates.self)
    .flatMap((member) => {
      const fit = matchQualityOf(query, member.name);
      return fit === undefined ? [] : [{ fit, ...describe(member, candidates) }];
    })
    .sort(byRelevance);
  const [readers, others] = [ranked.filter((one) => one.isReader), ranked.filter((one) => !one.isReader)];
  return [...readers.map(strip), ...suggestWide(query, candidates), ...others.map(strip)].slice(0, SUGGESTIONS_MAX);
}

type MemberSuggestion = Extract<Suggestion, { type: 'member' }>;
type Ranked = MemberSuggestion & { fit: MatchQuality };

function describe(member: Member, candidates: MentionCandidates): MemberSuggestion {
  const isShared = candidates.members.filter((one) => foldName(one.name) === foldName(member.name)).length > 1;
  return {
    type: 'member',
    member,
    presence: candidates.presence.get(member.id)?.state ?? 'away',
    isReader: candidates.readers.has(member.id),
    // A name that several members share mentions none of them; an id always works.
    inserts: `@${isShared ? member.id : member.name}`,
  };
}

function byRelevance(one: Ranked, other: Ranked): number {
  const away = (ranked: Ranked) => (ranked.presence === 'away' ? 1 : 0);
  return one.fit - other.fit || away(one) - away(other) || compareNames(one.member.name, other.member.name);
}

function strip({ fit: _, ...suggestion }: Ranked): Suggestion {
  return suggestion;
}

function suggestWide(query: string, candidates: MentionCandidates): Suggestion[] {
  const others = candidates.members.filter((one) => candidates.readers.has(one.id) && one.id !== candidates.self);
  const agents = others.filter((one) => one.type === 'agent').length;
  const people = others.length - agents;
  const all: Suggestion[] = [
    {
      type: 'wide',
      word: 'everyone',
      about: `Calls ${count(agents, 'agent')} and notifies ${peopleInWords(people)}`,
      inserts: '@everyone',
    },
    { type: 'wide', word: 'agents', about: `Calls ${count(agents, 'agent')}`, inserts: '@agents' },
  ];
  return agents === 0 ? [] : all.filter((one) => one.type === 'wide' && matchQualityOf(query, one.word) === 0);
}

function count(number: number, thing: string): string {
  return number === 1 ? `1 ${thing}` : `all ${number} ${thing}s`;
}

function peopleInWords(number: number): string {
  return number === 1 ? '1 person' : `${number} people`;
}

/** Returns commands that start with the query, then those that contain it. */
export function suggestCommands(query: string, commands: readonly Command[]): Suggestion[] {
  return commands
    .flatMap((command) => {
      const fit = matchQualityOf(query, command.name);
      return fit === undefined ? [] : [{ command, fit }];
    })
    .sort((one, other) => one.fit - other.fit)
    .map(({ command }) => ({
      type: 'command',
      command,
      inserts: `/${command.name}`,
    }));
}

/** Returns the text to insert. A space follows unless there is one or the completion takes none. */
export function insertion(text: string, completion: Completion, suggestion: Suggestion): string {
  const isWhole = suggestion.type === 'command' && suggestion.command.takes === 'nothing';
  const isBlankNext = /^\s/.test(text.slice(completion.end));
  return isWhole || isBlankNext ? suggestion.inserts : `${suggestion.inserts} `;
}
