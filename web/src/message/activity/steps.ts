/** What a step of an answer has to say on one line, and what all of them together have cost. Pure. */
import type { Message, Step } from '../../api/model';
import { durationText } from '../../parts/duration';

/** Where a step stands: `left` means for ever. */
export type StepState = 'running' | 'done' | 'failed' | 'left';

/** A step that never ended was left when the answer ended. */
export function stepState(step: Step, isStreaming: boolean): StepState {
  if (!step.finished_at) return isStreaming ? 'running' : 'left';
  return step.is_error ? 'failed' : 'done';
}

/** A few words for the end of the line: what came out if it can be said shortly, else how long it took. */
export function stepResult(step: Step, isStreaming: boolean): string {
  const state = stepState(step, isStreaming);
  if (state === 'running') return 'running';
  if (state === 'left') return 'not finished';
  const said = shortOutput(step.output);
  if (said) return said;
  return state === 'failed' ? 'failed' : durationText(Date.parse(step.finished_at ?? '') - Date.parse(step.started_at));
}

/** "3 steps · 4.2 s · 812 tokens", as far as it is known. */
export function activitySummary(steps: readonly Step[], usage: Message['usage']): string {
  const parts = [`${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`];
  const ms = usage?.duration_ms ?? spanOf(steps);
  if (ms !== undefined) parts.push(durationText(ms));
  if (usage?.output_tokens) parts.push(`${usage.output_tokens.toLocaleString()} tokens`);
  return parts.join(' · ');
}

/** From the first start to the last end; undefined when nothing ended. */
function spanOf(steps: readonly Step[]): number | undefined {
  const ends = steps.flatMap((step) => (step.finished_at ? [Date.parse(step.finished_at)] : []));
  if (ends.length === 0) return undefined;
  return Math.max(...ends) - Math.min(...steps.map((step) => Date.parse(step.started_at)));
}

const SHORT_CHARS_MAX = 28;
/** Fields that producers count with, in the words of the page. */
const COUNTS = ['matches', 'hits', 'lines', 'files', 'items', 'rows', 'results', 'count', 'messages'] as const;

/** Producers put anything there. What is no text, number or count is not said; it can be unfolded. */
export function shortOutput(output: unknown): string | undefined {
  if (typeof output === 'string') return shortText(output);
  if (typeof output === 'number' || typeof output === 'boolean') return String(output);
  if (Array.isArray(output)) return counted(output.length, 'items');
  if (typeof output !== 'object' || output === null) return undefined;
  const fields = output as Record<string, unknown>;
  if (typeof fields.summary === 'string') return shortText(fields.summary);
  for (const name of COUNTS) {
    const value = fields[name];
    if (typeof value === 'number') return counted(value, name);
    if (Array.isArray(value)) return counted(value.length, name);
  }
  return typeof fields.exit_code === 'number' ? `exit ${fields.exit_code}` : undefined;
}

/** One line as it is, several as their number. */
function shortText(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const lines = trimmed.split('\n').length;
  if (lines > 1) return counted(lines, 'lines');
  return trimmed.length <= SHORT_CHARS_MAX ? trimmed : `${trimmed.slice(0, SHORT_CHARS_MAX - 1)}…`;
}

/** "1 match", "38 matches"; a bare count has no noun. */
function counted(count: number, plural: string): string {
  if (plural === 'count') return String(count);
  return `${count} ${count === 1 ? (plural === 'matches' ? 'match' : plural.slice(0, -1)) : plural}`;
}

/** How much of an input or output is shown; the hub keeps the rest. */
export const SHOWN_CHARS_MAX = 2_000;

/** Anything a step was given or gave, as text to read. */
export function boundedText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const rest = text.length - SHOWN_CHARS_MAX;
  return rest <= 0 ? text : `${text.slice(0, SHOWN_CHARS_MAX)}\n… ${rest.toLocaleString()} more characters`;
}
