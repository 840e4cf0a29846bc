/** Texts about contexts. Pure. */
import type { LeftOut, Level, Reason, Receipt, Section } from '../../api/context_model';

const COUNT = new Intl.NumberFormat();

const SECTIONS: Record<Section, string> = {
  project: 'Project',
  neighbours: 'Related members',
  task: 'Task',
  artifacts: 'Files',
  threads: 'Threads and channels',
  history: 'Conversation',
};
const LEVELS: Record<Level, string> = {
  full: 'in full',
  head_tail: 'start and end',
  extract: 'key sentences',
  one_line: 'one line',
  handle: 'reference only',
};
const REASONS: Record<Reason, string> = {
  current: 'the message to answer',
  blocking: 'blocks its run',
  mention: 'mentions it',
  reply: 'replies to it',
  unread: 'unread',
  thread: 'in a thread that it takes part in',
  task: 'belongs to the task',
  subscribed: 'in a channel that it follows',
  parent: 'its parent in the project',
  peer: 'its peer in the project',
  artifact: 'a file of the task or conversation',
  recent: 'recent',
  found: 'found by search',
};
const LEFT_OUT: Record<LeftOut, string> = {
  no_room: 'does not fit the budget',
  irrelevant: 'less relevant here',
  sender_quota: 'limit per author reached',
  thread_quota: 'limit per conversation reached',
  trust_quota: 'limit per kind of author reached',
  duplicate: 'duplicate of a shown item',
  summarised: 'covered by a shown summary',
  told: 'already given to the model',
  empty: 'has no text',
};

/** A newer hub may have values that this page lacks: they are shown as they are. */
const textFor = <Key extends string>(words: Record<Key, string>, key: Key): string =>
  words[key] ?? key.replaceAll('_', ' ');

export const sectionText = (section: Section): string => textFor(SECTIONS, section);
export const levelText = (level: Level): string => textFor(LEVELS, level);
export const leftOutText = (why: LeftOut): string => textFor(LEFT_OUT, why);
export const reasonsText = (reasons: readonly Reason[]): string =>
  reasons.map((reason) => textFor(REASONS, reason)).join(', ');

export function countText(count: number): string {
  return COUNT.format(count);
}

/** Returns "1 token", "1,024 tokens". */
export function tokenCountText(tokens: number): string {
  return tokens === 1 ? '1 token' : `${countText(tokens)} tokens`;
}

/** Returns "412 of 512 tokens". */
export function usedText({ used, budget }: Pick<Receipt, 'used' | 'budget'>): string {
  return `${countText(used)} of ${tokenCountText(budget)}`;
}

/** `model` is the model whose tokens are counted, if known. */
export function countingText(
  { encoding, is_exact: isExact }: Receipt['counting'],
  model?: { readonly name: string | undefined },
): string {
  if (isExact) return `Tokens are counted exactly, with the tokenizer ${encoding}.`;
  const bound = 'an upper bound: the real number is never higher.';
  if (!model) return `The token count is ${bound}`;
  if (!model.name) return `The model of the agent is unknown, so the token count is ${bound}`;
  return `The hub has no tokenizer for “${model.name}”, so the token count is ${bound}`;
}

/** Returns "Redacted: 2 × email, 1 × aws-key, 3 invisible characters."; empty when nothing was redacted. */
export function redactionText({ redactions = [], invisible = 0 }: Pick<Receipt, 'redactions' | 'invisible'>): string {
  const kinds = redactions.map(({ kind, count }) => `${countText(count)} × ${kind}`);
  const signs =
    invisible > 0 ? [`${countText(invisible)} invisible ${invisible === 1 ? 'character' : 'characters'}`] : [];
  const all = [...kinds, ...signs];
  return all.length > 0 ? `Redacted: ${all.join(', ')}.` : '';
}

/** A segment of a token bar. `frame` is the text that the hub adds. */
export interface Segment {
  readonly tone: Section | 'frame';
  readonly name: string;
  readonly tokens: number;
}

/** Returns the segments in the order of the text, without empty ones. */
export function segmentsOf({
  sections,
  frame,
  items,
}: Pick<Receipt, 'sections' | 'frame' | 'items'>): readonly Segment[] {
  // An injection starts with the question, unlike the list of sections.
  const order = [...new Set(items.filter((item) => item.level).map((item) => item.section))];
  const locationOf = (section: Section) => (order.includes(section) ? order.indexOf(section) : order.length);
  const parts: readonly Segment[] = [
    ...sections
      .toSorted((one, other) => locationOf(one.section) - locationOf(other.section))
      .map(({ section, tokens }) => ({ tone: section, name: sectionText(section), tokens })),
    { tone: 'frame', name: 'Hub text', tokens: frame },
  ];
  return parts.filter(({ tokens }) => tokens > 0);
}

/** Returns "412 of 512 tokens: Project 20, Conversation 380, Hub text 12" */
export function barText(receipt: Pick<Receipt, 'used' | 'budget' | 'sections' | 'frame' | 'items'>): string {
  const parts = segmentsOf(receipt).map(({ name, tokens }) => `${name} ${countText(tokens)}`);
  return [usedText(receipt), parts.join(', ')].filter(Boolean).join(': ');
}
