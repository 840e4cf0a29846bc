/** Palette entries of the open project: conversations, members and commands. */
import type { Hit, Member, Snapshot } from '../api/model';
import { runRoute } from '../message/run/RunLink';
import { messageRoute } from '../platform/message_route';
import { go, route } from '../platform/router';
import { runName } from '../platform/run_name';
import { SHORTCUTS } from '../platform/shortcuts';
import { openConversation, threadRoute } from '../shell/sidebar/conversation_order';
import type { Store } from '../state/contract';
import { personColour } from '../state/person_colour';
import { namesIn, openChannels, titleOf, unreadOf } from '../state/selectors';
import type { PaletteCommand } from './commands';
import type { PaletteEntry } from './palette_sections';

export interface PaletteActions {
  readonly store: Store;
  readonly recent: readonly string[];
  readonly commands: readonly PaletteCommand[];
  /** Titles of threads by id; threads without a title are left out. */
  readonly threadTitles: ReadonlyMap<string, string>;
  writeTo(memberId: string): void;
}

export function entriesOf(snapshot: Snapshot | undefined, doings: PaletteActions): readonly PaletteEntry[] {
  const commands = doings.commands.filter((command) => command.isFor?.(doings.store) ?? true);
  const lines = commands.map((command) => commandEntry(command, doings.store));
  if (!snapshot) return lines;
  return [
    ...conversationEntries(snapshot, doings),
    ...memberEntries(snapshot, doings),
    ...runEntries(doings),
    ...projectEntries(doings),
    ...lines,
  ];
}

function conversationEntries(snapshot: Snapshot, { recent, threadTitles }: PaletteActions): PaletteEntry[] {
  const hereId = openConversation(route());
  const entry = (id: string, more: Pick<PaletteEntry, 'label' | 'mark'> & Partial<PaletteEntry>): PaletteEntry => ({
    key: id,
    group: 'conversations',
    unread: unreadOf(snapshot, id).messages,
    isHere: id === hereId,
    ...recentRank(recent, id),
    run: () => go({ view: 'conversation', projectId: snapshot.project.id, conversationId: id }),
    ...more,
  });
  return [
    ...openChannels(snapshot).map((channel) =>
      entry(channel.id, {
        label: channel.name,
        detail: channel.topic ?? undefined,
        mark: { type: 'icon', name: channel.visibility === 'private' ? 'lock' : 'hash' },
      }),
    ),
    ...snapshot.dms.map((dm) =>
      entry(dm.id, {
        label: namesIn(snapshot, dm).join(', '),
        detail: 'direct message',
        mark: { type: 'icon', name: 'chat' },
      }),
    ),
    ...snapshot.threads.flatMap((thread) => {
      const label = threadTitles.get(thread.id);
      const more = { detail: titleOf(snapshot, thread.channel_id), mark: { type: 'icon', name: 'thread' } } as const;
      return label ? [entry(thread.id, { label, ...more, run: () => go(threadRoute(thread)) })] : [];
    }),
  ];
}

function memberEntries(snapshot: Snapshot, { store, writeTo }: PaletteActions): PaletteEntry[] {
  const others = [...store.members().values()].filter((member) => member.id !== snapshot.reader);
  return others.map((member: Member) => ({
    key: member.id,
    group: 'members',
    label: member.name,
    detail: member.type === 'agent' ? 'agent' : undefined,
    mark: { type: 'member', name: member.name, shape: member.type, colour: personColour(snapshot, member) },
    run: () => writeTo(member.id),
  }));
}

/** Open runs; the others are in the list of runs. */
function runEntries({ store }: PaletteActions): PaletteEntry[] {
  return store.runs().map((run) => {
    const name = store.members().get(run.agent_id)?.name ?? 'an agent';
    return {
      key: run.id,
      group: 'commands',
      label: `Open the run of ${name}`,
      detail: run.state === 'paused' ? `${runName(run.id)}, paused` : runName(run.id),
      words: `run ${name} ${run.state}`,
      mark: { type: 'icon', name: 'play' },
      run: () => go(runRoute(route(), run.id)),
    };
  });
}

function projectEntries({ store }: PaletteActions): PaletteEntry[] {
  const openId = store.snapshot()?.project.id;
  const others = store.projects().filter((project) => project.id !== openId);
  return others.map((project) => ({
    key: project.id,
    group: 'commands',
    label: `Go to ${project.name}`,
    detail: 'project',
    words: `project switch open ${project.name}`,
    mark: { type: 'icon', name: 'grid' },
    run: () => go({ view: 'project', projectId: project.id }),
  }));
}

function commandEntry(command: PaletteCommand, store: Store): PaletteEntry {
  return {
    key: command.id,
    group: 'commands',
    label: command.label,
    words: command.words,
    mark: { type: 'icon', name: command.icon },
    keys: SHORTCUTS.find((one) => one.id === command.shortcut)?.keys,
    run: () => command.run(store),
  };
}

/** Messages from the search, and a link to all results. */
export function messageEntries(
  text: string,
  hits: readonly Hit[],
  snapshot: Snapshot | undefined,
): readonly PaletteEntry[] {
  if (text === '') return [];
  const found = hits.slice(0, HITS_MAX).map(
    ({ message, snippet }): PaletteEntry => ({
      key: message.id,
      group: 'messages',
      label: snippet.replace(/\s+/g, ' '),
      detail: [message.from.name, snapshot && titleOf(snapshot, message.to)].filter(Boolean).join(' in '),
      mark: { type: 'icon', name: 'quote' },
      run: () => go(messageRoute(message)),
    }),
  );
  const all: PaletteEntry = {
    key: 'search-all',
    group: 'messages',
    label: `Search all messages for “${text}”`,
    mark: { type: 'icon', name: 'search' },
    run: () => go({ view: 'search', query: text }),
  };
  return [...found, all];
}

const HITS_MAX = 5;

function recentRank(recent: readonly string[], id: string): { recent?: number } {
  const at = recent.indexOf(id);
  return at < 0 ? {} : { recent: at + 1 };
}
