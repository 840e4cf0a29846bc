/** The state of a member as a dot and as text. Pure. */
import type { Member, OpenQuestion, Presence, Run } from '../../api/model';
import type { PresenceDot } from '../../parts/Avatar';
import { runName } from '../../platform/run_name';

export interface MemberState {
  readonly dot: PresenceDot;
  readonly words: string;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const DAY_MS = 86_400_000;
const AGENT_WORDS = { idle: 'idle', working: 'working', paused: 'paused' } as const;

/** An online person. */
export const ONLINE: MemberState = { dot: 'idle', words: 'online' };

/** `leftAt` is when the page saw the member go offline. */
export function memberState(
  member: Member,
  presence: Presence | undefined,
  leftAt: number | undefined,
  now: number,
): MemberState {
  if (!presence)
    return { dot: 'away', words: leftAt === undefined ? 'offline' : `offline since ${shortTime(leftAt, now)}` };
  if (member.type === 'person') return ONLINE;
  return { dot: presence.state, words: AGENT_WORDS[presence.state] };
}

/** Describes an agent's open runs: paused before running. `questions` are those to the reader. */
export function workOf(
  agentId: string,
  runs: readonly Run[],
  questions: readonly OpenQuestion[],
): MemberState | undefined {
  const own = runs.filter((run) => run.agent_id === agentId);
  const paused = own.find((run) => run.state === 'paused');
  if (paused) {
    const isForReader = paused.pauses?.some((pause) => questions.some((one) => one.message.id === pause.message_id));
    return { dot: 'paused', words: isForReader ? 'waiting for you' : 'paused' };
  }
  return own[0] && { dot: 'working', words: runName(own[0].id) };
}

/** The clock within a day, the weekday before that. */
export function shortTime(at: number, now: number): string {
  return (now - at < DAY_MS ? CLOCK : WEEKDAY).format(at);
}
