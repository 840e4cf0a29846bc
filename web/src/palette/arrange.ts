/** What the palette shows for what was typed: which groups, in which order, and how much of each. Pure. */
import type { IconName } from '../parts/Icon';
import { closeness, rank } from '../parts/rank_match';

export type Group = 'conversations' | 'members' | 'commands' | 'messages';

/** One line of the palette. */
export interface PaletteEntry {
  readonly key: string;
  readonly group: Group;
  readonly label: string;
  readonly detail?: string;
  /** Other words by which it is found. */
  readonly words?: string;
  readonly mark: { type: 'icon'; name: IconName } | { type: 'member'; name: string; shape: 'person' | 'agent' };
  /** The keys that do the same, as in the table of shortcuts. */
  readonly keys?: string;
  /** How many messages wait there. */
  readonly unread?: number;
  /** Where the reader is already. */
  readonly isHere?: boolean;
  /** How long ago it was used: 1 is the last time; undefined is never. */
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
/** A group that stands alone has more room. */
const ENTRIES_ALONE_MAX = 30;
/** Before anything is typed, members are only a hint that they are there: the commands stay in sight. */
const MEMBERS_UNASKED_MAX = 3;
const FILTERS: Readonly<Record<string, Group>> = { '#': 'conversations', '@': 'members', '>': 'commands' };

/** Takes the sign in front apart that asks for one group. */
export function parseQuery(typed: string): { only?: Group; text: string } {
  const only = FILTERS[typed.trimStart().charAt(0)];
  return only ? { only, text: typed.trimStart().slice(1).trim() } : { text: typed.trim() };
}

/** The groups, the one with the best fit first; messages, which the hub has found, are always last. */
export function arrange(
  typed: string,
  entries: readonly PaletteEntry[],
  found: readonly PaletteEntry[],
): readonly PaletteSection[] {
  const { only, text } = parseQuery(typed);
  const groups = (['conversations', 'members', 'commands'] as const).filter((group) => !only || group === only);
  const sections = groups.map((group) =>
    sectionOf(group, text, entries, only ? ENTRIES_ALONE_MAX : roomOf(group, text)),
  );
  if (text !== '') sections.sort((one, other) => bestFit(text, other) - bestFit(text, one));
  if (!only)
    sections.push({ group: 'messages', title: TITLES.messages, entries: found.slice(0, ENTRIES_MAX.messages) });
  return sections.filter((section) => section.entries.length > 0);
}

function roomOf(group: Group, text: string): number {
  return group === 'members' && text === '' ? MEMBERS_UNASKED_MAX : ENTRIES_MAX[group];
}

function sectionOf(group: Group, text: string, entries: readonly PaletteEntry[], max: number): PaletteSection {
  const own = entries.filter((entry) => entry.group === group);
  const ranked = rank(text, own, (entry) => entry.label, favour);
  const byWords = text === '' ? [] : own.filter((entry) => !ranked.includes(entry) && fitsWords(text, entry));
  return { group, title: TITLES[group], entries: [...ranked, ...byWords].slice(0, max) };
}

/** Nobody looks for the place they are in, but by its name it is found. */
const HERE = -50;

/** Lately used and unread things come first among those that fit about as well. */
function favour(entry: PaletteEntry): number {
  if (entry.isHere) return HERE;
  const recency = entry.recent === undefined ? 0 : Math.max(0, 30 - entry.recent);
  return recency + (entry.unread ? 20 : 0);
}

function fitsWords(text: string, entry: PaletteEntry): boolean {
  return (entry.words ?? '').split(' ').some((word) => word.toLowerCase().startsWith(text.toLowerCase()));
}

function bestFit(text: string, { entries: [first] }: PaletteSection): number {
  return first ? (closeness(text, first.label) ?? 0) + favour(first) : -1;
}
