/** Computes the groups of the palette for a query: order and size. Pure. */

import { matchScore, rank } from '../parts/field/rank_match';
import type { IconName } from '../parts/Icon';

export type Group = 'conversations' | 'members' | 'commands' | 'messages';

export interface PaletteEntry {
  readonly key: string;
  readonly group: Group;
  readonly label: string;
  readonly detail?: string;
  /** Further search words. */
  readonly words?: string;
  readonly mark:
    | { type: 'icon'; name: IconName }
    | { type: 'member'; name: string; shape: 'person' | 'agent'; colour?: number | undefined };
  /** The shortcut with the same effect. */
  readonly keys?: string;
  readonly unread?: number;
  /** The current conversation. */
  readonly isHere?: boolean;
  /** 1 is the most recent; undefined means never used. */
  readonly recent?: number;
  run(): void;
}

export interface PaletteSection {
  readonly group: Group;
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

const TITLES: Record<Group, string> = {
  conversations: 'Conversations',
  members: 'Members',
  commands: 'Commands',
  messages: 'Messages',
};
const ENTRIES_MAX: Record<Group, number> = { conversations: 6, members: 5, commands: 5, messages: 6 };
/** Limit when only one group is shown. */
const ENTRIES_ALONE_MAX = 30;
/** Limit for members before anything is typed: the commands stay visible. */
const MEMBERS_UNASKED_MAX = 3;
const FILTERS: Readonly<Record<string, Group>> = { '#': 'conversations', '@': 'members', '>': 'commands' };

/** Splits off the prefix that selects one group. */
export function parseQuery(typed: string): { only?: Group; text: string } {
  const only = FILTERS[typed.trimStart().charAt(0)];
  return only ? { only, text: typed.trimStart().slice(1).trim() } : { text: typed.trim() };
}

/** Returns the groups, best match first; messages are always last. */
export function arrange(
  typed: string,
  entries: readonly PaletteEntry[],
  found: readonly PaletteEntry[],
): readonly PaletteSection[] {
  const { only, text } = parseQuery(typed);
  const groups = (['conversations', 'members', 'commands'] as const).filter((group) => !only || group === only);
  const sections = groups.map((group) =>
    sectionOf(group, text, entries, only ? ENTRIES_ALONE_MAX : entriesMaxOf(group, text)),
  );
  if (text !== '') sections.sort((one, other) => bestFit(text, other) - bestFit(text, one));
  if (!only)
    sections.push({ group: 'messages', title: TITLES.messages, entries: found.slice(0, ENTRIES_MAX.messages) });
  return sections.filter((section) => section.entries.length > 0);
}

function entriesMaxOf(group: Group, text: string): number {
  return group === 'members' && text === '' ? MEMBERS_UNASKED_MAX : ENTRIES_MAX[group];
}

function sectionOf(group: Group, text: string, entries: readonly PaletteEntry[], max: number): PaletteSection {
  const own = entries.filter((entry) => entry.group === group);
  const ranked = rank(text, own, (entry) => entry.label, bonusOf);
  const byWords = text === '' ? [] : own.filter((entry) => !ranked.includes(entry) && fitsWords(text, entry));
  return { group, title: TITLES[group], entries: [...ranked, ...byWords].slice(0, max) };
}

/** The current conversation is rarely searched for, but can be found by name. */
const CURRENT_CONVERSATION_PENALTY = -50;

/** Recent and unread entries come first among similar matches. */
function bonusOf(entry: PaletteEntry): number {
  if (entry.isHere) return CURRENT_CONVERSATION_PENALTY;
  const recency = entry.recent === undefined ? 0 : Math.max(0, 30 - entry.recent);
  return recency + (entry.unread ? 20 : 0);
}

function fitsWords(text: string, entry: PaletteEntry): boolean {
  return (entry.words ?? '').split(' ').some((word) => word.toLowerCase().startsWith(text.toLowerCase()));
}

function bestFit(text: string, { entries: [first] }: PaletteSection): number {
  return first ? (matchScore(text, first.label) ?? 0) + bonusOf(first) : -1;
}
