/** Delivery status of a message as steps and text. Pure. */
import type { Delivery, DeliveryPath, DeliveryReason, DeliveryState } from '../../api/model';
import { durationText } from '../../parts/time/duration';
import { runName } from '../../platform/run_name';

/** The steps of a delivery, in order. */
export const STEPS = ['stored', 'queued', 'injected', 'seen', 'answered'] as const;
export type LedgerStep = (typeof STEPS)[number];

export interface LedgerSummary {
  /** Steps (of five) that all recipients have reached, or the failed ones did. */
  readonly reached: number;
  /** Failed or expired. */
  readonly isBroken: boolean;
  readonly words: string;
}

/** Facts about members that the texts need. */
export interface LedgerMembers {
  nameOf(memberId: string): string;
  isAgent(memberId: string): boolean;
  /** The agent is in a run: queued messages wait for its end. */
  isBusy(memberId: string): boolean;
}

/** Summarises all recipients in one line: those who were called, or all when nobody was. */
export function ledgerSummary(deliveries: readonly Delivery[], members: LedgerMembers): LedgerSummary {
  const called = deliveries.filter(({ reason }) => reason === 'mention' || reason === 'dm');
  const about = called.length > 0 ? called : deliveries;
  const [only] = about;
  if (!only) return { reached: 1, isBroken: false, words: 'Stored. No recipients.' };
  const broken = about.filter(isBroken);
  return {
    reached: Math.min(...(broken.length > 0 ? broken : about).map(stepsReached)),
    isBroken: broken.length > 0,
    words: about.length === 1 ? textForOne(only, members) : textForAll(about, broken, members),
  };
}

/** Returns how many of the five steps a delivery has reached; a failed one counts the steps before. */
export function stepsReached(delivery: Delivery): number {
  const at = STEPS.indexOf(delivery.state as LedgerStep);
  if (at >= 0) return at + 1;
  if (delivery.seen_at) return 4;
  if (delivery.injected_at) return 3;
  return delivery.queued_at ? 2 : 1;
}

export function isBroken({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'failed' || state === 'expired';
}

/** Returns "Coder saw it in run 7k2f · 0.4 s" */
export function textForOne(delivery: Delivery, members: LedgerMembers): string {
  const name = members.nameOf(delivery.recipient);
  const inRun = delivery.run_id ? ` in ${runName(delivery.run_id)}` : '';
  switch (delivery.state) {
    case 'stored':
      return members.isAgent(delivery.recipient) ? `Stored for ${name}` : `${name} has not read it yet`;
    case 'queued':
      return members.isBusy(delivery.recipient) ? `${name}: queued behind another answer` : `${name}: queued`;
    case 'injected':
      return `Given to ${name}${inRun}`;
    case 'seen':
      return `${name} ${members.isAgent(delivery.recipient) ? 'saw' : 'read'} it${inRun}${after(delivery.time_to_read_ms)}`;
    case 'answered':
      return `${name} answered${after(msBetween(delivery.stored_at, delivery.answered_at))}`;
    case 'expired':
      return `Expired: ${sentenceOr(delivery.why, `${name} did not see it in time`)}`;
    case 'failed':
      return `Failed for ${name}: ${sentenceOr(delivery.why, 'no reason was given')}`;
  }
}

/** Returns "Failed for Scout: … · 2 of 3 saw it, Coder answered" */
function textForAll(about: readonly Delivery[], broken: readonly Delivery[], members: LedgerMembers): string {
  const [first, ...others] = broken;
  const progress = progressOf(about, members);
  if (!first) return progress;
  const more = others.length > 0 ? ` · ${others.length} more did not arrive` : '';
  return `${textForOne(first, members)}${more} · ${progress}`;
}

function progressOf(about: readonly Delivery[], members: LedgerMembers): string {
  const answered = about.filter(({ state }) => state === 'answered');
  const seen = about.filter((delivery) => stepsReached(delivery) >= 4);
  if (answered.length === about.length) return `All ${about.length} answered`;
  const saw = seen.length === about.length ? `All ${about.length} saw it` : `${seen.length} of ${about.length} saw it`;
  const [one] = answered;
  if (!one) return saw;
  return answered.length === 1
    ? `${saw}, ${members.nameOf(one.recipient)} answered`
    : `${saw}, ${answered.length} answered`;
}

const STATE_TEXT: Record<DeliveryState, string> = {
  stored: 'Stored',
  queued: 'Queued',
  injected: 'Given to the model',
  seen: 'Seen',
  answered: 'Answered',
  expired: 'Expired',
  failed: 'Failed',
};
const DELIVERY_PATH_TEXT: Record<DeliveryPath, string> = {
  prompt: 'in its prompt',
  checkpoint: 'at a checkpoint',
  nudge: 'at the end of a run',
  tool: 'with the result of a tool',
  hook: 'by its hook',
};
const REASON_TEXT: Record<DeliveryReason, string> = {
  subscription: 'follows the channel',
  thread: 'member of the thread',
  dm: 'member of the direct message',
  mention: 'mentioned',
};

export const stateText = (state: DeliveryState): string => STATE_TEXT[state];
export const deliveryPathText = (path: DeliveryPath): string => DELIVERY_PATH_TEXT[path];
export const reasonText = (reason: DeliveryReason): string => REASON_TEXT[reason];

export interface LedgerRow {
  readonly state: DeliveryState;
  /** `unreported`: a later step was reported, but not this one. */
  readonly happened: 'yes' | 'no' | 'unreported';
  /** Unknown for people. */
  readonly at?: string;
  /** Milliseconds since the message was stored. */
  readonly afterMs?: number;
}

/** Returns the five steps with their times, and the failure if there is one. People have fewer steps than agents. */
export function ledgerRows(delivery: Delivery, isAgent: boolean): readonly LedgerRow[] {
  const times: Record<LedgerStep, string | null | undefined> = {
    stored: delivery.stored_at,
    queued: delivery.queued_at,
    injected: delivery.injected_at,
    seen: delivery.seen_at,
    answered: delivery.answered_at,
  };
  const steps = STEPS.filter((step) => isAgent || (step !== 'queued' && step !== 'injected'));
  const rows = steps.map((state) => rowOf(delivery, state, times[state]));
  return isBroken(delivery) ? [...rows, rowOf(delivery, delivery.state, delivery.ended_at)] : rows;
}

function rowOf(delivery: Delivery, state: DeliveryState, at: string | null | undefined): LedgerRow {
  if (at) return { state, happened: 'yes', at, afterMs: msBetween(delivery.stored_at, at) ?? 0 };
  const isBehind = isBroken({ state }) || STEPS.indexOf(state as LedgerStep) < stepsReached(delivery);
  if (!isBehind) return { state, happened: 'no' };
  return { state, happened: state === 'queued' || state === 'injected' ? 'unreported' : 'yes' };
}

function msBetween(from: string, to: string | null | undefined): number | undefined {
  return to ? Math.max(0, Date.parse(to) - Date.parse(from)) : undefined;
}

function after(ms: number | null | undefined): string {
  return ms === undefined || ms === null ? '' : ` · ${durationText(ms)}`;
}

function sentenceOr(why: string | null | undefined, instead: string): string {
  return why?.trim().replace(/[.\s]+$/, '') || instead;
}
