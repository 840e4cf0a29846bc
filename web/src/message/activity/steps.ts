/** Summary texts for the steps of an answer. Pure. */
import type { Message, Step } from '../../api/model';
import { durationText } from '../../parts/time/duration';

/** `left` means that the answer ended before the step did. */
export type StepState = 'running' | 'done' | 'failed' | 'left';

export function stepState(step: Step, isStreaming: boolean): StepState {
  if (!step.finished_at) return isStreaming ? 'running' : 'left';
  return step.is_error ? 'failed' : 'done';
}

/** Returns a short result: the output if it is short, else the duration. */
export function stepResult(step: Step, isStreaming: boolean): string {
  const state = stepState(step, isStreaming);
  if (state === 'running') return 'running';
  if (state === 'left') return 'not finished';
  const output = shortOutput(step.output);
  if (output) return output;
  return state === 'failed' ? 'failed' : durationText(Date.parse(step.finished_at ?? '') - Date.parse(step.started_at));
}

/** `left` means that the answer was stopped or interrupted. */
export function outcomeOf(state: Message['state'], steps: readonly Step[]): 'done' | 'failed' | 'left' {
  if (state === 'failed') return 'failed';
  if (state === 'cancelled' || state === 'interrupted') return 'left';
  return steps.some((step) => stepState(step, false) === 'failed') ? 'failed' : 'done';
}

/**
 * Returns "3 steps · 4.2 s · 812 tokens", as far as reported. The times of the steps are not the time of the answer,
 * which also takes the model.
 */
export function activitySummary(steps: readonly Step[], usage: Message['usage']): string {
  const parts = [`${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`];
  if (usage?.duration_ms !== undefined && usage.duration_ms !== null) parts.push(durationText(usage.duration_ms));
  if (usage?.output_tokens) parts.push(`${usage.output_tokens.toLocaleString()} tokens`);
  return parts.join(' · ');
}

const SHORT_CHARS_MAX = 28;
/** Fields that producers use for counts. */
const COUNT_FIELDS = ['matches', 'hits', 'lines', 'files', 'items', 'rows', 'results', 'count', 'messages'] as const;

/** Summarises an output of any shape; undefined when it is not a text, number or count. */
export function shortOutput(output: unknown): string | undefined {
  if (typeof output === 'string') return shortText(output);
  if (typeof output === 'number' || typeof output === 'boolean') return String(output);
  if (Array.isArray(output)) return counted(output.length, 'items');
  if (typeof output !== 'object' || output === null) return undefined;
  const fields = output as Record<string, unknown>;
  if (typeof fields.summary === 'string') return shortText(fields.summary);
  for (const name of COUNT_FIELDS) {
    const value = fields[name];
    if (typeof value === 'number') return counted(value, name);
    if (Array.isArray(value)) return counted(value.length, name);
  }
  return typeof fields.exit_code === 'number' ? `exit ${fields.exit_code}` : undefined;
}

/** Returns a single line as it is, several as their number. */
function shortText(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const lines = trimmed.split('\n').length;
  if (lines > 1) return counted(lines, 'lines');
  return trimmed.length <= SHORT_CHARS_MAX ? trimmed : `${trimmed.slice(0, SHORT_CHARS_MAX - 1)}…`;
}

/** Returns "1 match", "38 matches"; a bare count has no noun. */
function counted(count: number, plural: string): string {
  if (plural === 'count') return String(count);
  return `${count} ${count === 1 ? (plural === 'matches' ? 'match' : plural.slice(0, -1)) : plural}`;
}

/** Characters of an input or output that are shown. */
export const SHOWN_CHARS_MAX = 2_000;

/** Formats an input or output as text. */
export function boundedText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const rest = text.length - SHOWN_CHARS_MAX;
  return rest <= 0 ? text : `${text.slice(0, SHOWN_CHARS_MAX)}\n… ${rest.toLocaleString()} more characters`;
}
