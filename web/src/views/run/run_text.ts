/** Texts about runs. Pure. */
import type { Message, Pause, Run } from '../../api/model';
import { namesText, type Viewer } from '../../message/question/question_text';
import { durationText, runningText } from '../../parts/time/duration';

/** Returns the state in a few words: "running", "waiting for you", "paused by Mara". `question` pauses it, if known. */
export function runStateText(run: Run, question: Message | undefined, viewer: Viewer): string {
  switch (run.state) {
    case 'running':
      return 'running';
    case 'paused':
      return pausedText(run.pauses ?? [], question, viewer);
    case 'done':
      return 'done';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'stopped';
  }
}

/** Pauses from hidden conversations are not included. */
function pausedText([first, ...others]: readonly Pause[], question: Message | undefined, viewer: Viewer): string {
  if (!first) return 'paused';
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `${pauseText(first, question, viewer)}${more}`;
}

export function pauseText(pause: Pause, question: Message | undefined, viewer: Viewer): string {
  if (pause.reason === 'message') {
    return `paused by ${pause.from.id === viewer.readerId ? 'you' : pause.from.name}`;
  }
  const asked = question?.id === pause.message_id ? question.question : undefined;
  return asked ? `waiting for ${namesText(asked.addressees, viewer)}` : 'waiting for an answer';
}

/** Returns how long a run has been running, or took. */
export function runAge(run: Run, now: number): string {
  const started = Date.parse(run.started_at);
  return run.finished_at ? durationText(Date.parse(run.finished_at) - started) : runningText(now - started);
}

const COUNT = new Intl.NumberFormat();

/** Returns "812 tokens"; empty when they were not counted. */
export function tokensText(usage: Run['usage']): string {
  if (!usage) return '';
  const tokens = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  return tokens === 1 ? '1 token' : `${COUNT.format(tokens)} tokens`;
}

/** Returns "640 in, 172 out". */
export function tokensInAndOut(usage: NonNullable<Run['usage']>): string {
  return `${COUNT.format(usage.input_tokens ?? 0)} in, ${COUNT.format(usage.output_tokens ?? 0)} out`;
}

/** Returns the start of a text in one line. */
export function excerpt(text: string, charsMax = 140): string {
  const line = [...text.replace(/\s+/gu, ' ').trim()];
  return line.length <= charsMax
    ? line.join('')
    : `${line
        .slice(0, charsMax - 1)
        .join('')
        .trimEnd()}…`;
}

export function isOpenRun({ state }: Pick<Run, 'state'>): boolean {
  return state === 'running' || state === 'paused';
}
