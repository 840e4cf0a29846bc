/** Computes the rows of a list: messages and the lines between them. Pure; the key of a row never changes. */
import type { Importance, Message } from '../../api/model';
import { dayKey } from '../../parts/time/Time';
import type { MessageList, Outgoing } from '../../state/contract';

/** Facts about a message that its row depends on. They never change, so they are computed once. */
export interface RowFacts {
  readonly at: number;
  readonly day: string;
  /** Author and presentation: messages with the same value may share a header. */
  readonly voice: string;
  /** Missing while the message is being sent. */
  readonly seq?: number;
  readonly isMine: boolean;
  /** `none`: a note, tool result or question card, which has a title of its own. `own`: its header contains something that the one above does not. */
  readonly head: 'plain' | 'own' | 'none';
}

export interface Rows {
  readonly keys: readonly string[];
  /** Ids of the messages that share the header of the one above. */
  readonly continued: ReadonlySet<string>;
}

/** The unread range when the conversation was opened: after `after`, up to `upTo`. */
export interface UnreadSpan {
  readonly after: number;
  readonly upTo: number;
}

export type RowKind = 'top' | 'day' | 'unread' | 'message' | 'bottom';

/** Facts are kept for this many messages; no list holds more. */
export const ROW_FACTS_MAX = 20_000;

/** How long consecutive messages of one author share a header. */
export const SHARED_HEAD_MS = 5 * 60_000;

export const TOP = 'top';
export const BOTTOM = 'bottom';
export const UNREAD = 'unread';
const DAY = 'day:';

export function kindOf(key: string): RowKind {
  if (key === TOP || key === BOTTOM || key === UNREAD) return key;
  return key.startsWith(DAY) ? 'day' : 'message';
}

/** Returns midnight of the day of a date row. */
export function dayOf(key: string): number {
  const [year = 1970, month = 1, day = 1] = (key.split(':')[1] ?? '').split('-').map(Number);
  return new Date(year, month - 1, day).getTime();
}

/**
 * Takes one pass, so 20,000 ids are cheap. Ids without facts are left out.
 *
 * `headed` are messages that were shown with a header because they were first. They keep it when older messages are
 * loaded: removing a header would move the rows.
 */
export function rowsOf(
  ids: readonly string[],
  factsOf: (id: string) => RowFacts | undefined,
  unread: UnreadSpan | undefined,
  headed: ReadonlySet<string> = new Set(),
): Rows {
  const keys: string[] = [TOP];
  const continued = new Set<string>();
  const days = new Set<string>();
  const firstUnread = unread && findFirstUnread(ids, factsOf, unread);
  let above: RowFacts | undefined;
  for (const id of ids) {
    const facts = factsOf(id);
    if (!facts) continue;
    const isNewDay = facts.day !== above?.day;
    if (isNewDay) keys.push(freshDayKey(days, facts.day, id));
    if (id === firstUnread) keys.push(UNREAD);
    else if (!isNewDay && above && !headed.has(id) && sharesHead(above, facts)) continued.add(id);
    keys.push(id);
    above = facts;
  }
  keys.push(BOTTOM);
  return { keys, continued };
}

/** Whether rows were only added or removed at the start. */
export function isShifted(before: readonly string[], after: readonly string[]): boolean {
  return before.length !== after.length && before.length > 2 && before.at(-2) === after.at(-2);
}

/** Whether two lists of rows overlap; otherwise another range was loaded. */
export function overlaps(before: readonly string[], after: readonly string[]): boolean {
  const ends = [before.at(-2), before.find((key) => kindOf(key) === 'message')];
  return before.length <= 2 || ends.some((key) => key !== undefined && after.includes(key));
}

/** Returns a function that computes and caches facts. Outgoing messages are not cached. */
export function createRowFacts(
  messageList: MessageList,
  reader: () => string | undefined,
): (id: string) => RowFacts | undefined {
  const known = new Map<string, RowFacts>();
  return (id) => {
    const kept = known.get(id);
    if (kept) return kept;
    const message = messageList.message(id);
    if (message) {
      const facts = factsOfMessage(message, reader());
      if (known.size >= ROW_FACTS_MAX) known.clear();
      known.set(id, facts);
      return facts;
    }
    const outgoing = messageList.outgoing(id);
    return outgoing && factsOfOutgoing(outgoing, reader());
  };
}

export function factsOfMessage(message: Message, reader: string | undefined): RowFacts {
  const { from, kind, importance, blocking, seq } = message;
  const at = Date.parse(message.created_at);
  return {
    at,
    day: dayKey(at),
    voice: `${from.type}:${from.id ?? from.name}:${kind}`,
    seq,
    isMine: from.type === 'person' && from.id === reader,
    head: (kind === 'user' || kind === 'assistant') && !message.question ? headOf(importance, blocking) : 'none',
  };
}

function factsOfOutgoing(outgoing: Outgoing, reader: string | undefined): RowFacts {
  const { at, importance, blocking } = outgoing;
  // A blocking message becomes a question card.
  const head = blocking ? 'none' : headOf(importance, blocking);
  return { at, day: dayKey(at), voice: `person:${reader}:user`, isMine: true, head };
}

function headOf(importance: Importance, blocking: boolean): RowFacts['head'] {
  return importance === 'normal' && !blocking ? 'plain' : 'own';
}

function sharesHead(above: RowFacts, below: RowFacts): boolean {
  const isSoon = Math.abs(below.at - above.at) <= SHARED_HEAD_MS;
  return isSoon && above.voice === below.voice && above.head !== 'none' && below.head === 'plain';
}

/** Returns the first unread message of somebody else, if all unread messages before it are loaded. */
function findFirstUnread(
  ids: readonly string[],
  factsOf: (id: string) => RowFacts | undefined,
  { after, upTo }: UnreadSpan,
): string | undefined {
  const first = ids[0] === undefined ? undefined : factsOf(ids[0])?.seq;
  if (first === undefined || first > after + 1) return undefined;
  return ids.find((id) => {
    const facts = factsOf(id);
    return facts?.seq !== undefined && facts.seq > after && facts.seq <= upTo && !facts.isMine;
  });
}

/** Clocks may disagree, so a day can appear twice; each date row needs a unique key. */
function freshDayKey(used: Set<string>, day: string, id: string): string {
  const key = used.has(day) ? `${DAY}${day}:${id}` : `${DAY}${day}`;
  used.add(day);
  return key;
}
