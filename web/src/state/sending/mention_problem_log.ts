/** Mentions in own messages that matched nobody. The hub reports them once, in its response. */
import { createSignal } from 'solid-js';
import type { MentionProblem } from '../../api/model';

/** Messages whose problems are kept. */
export const PROBLEMS_MAX = 100;

export class MentionProblemLog {
  readonly #byMessage = createSignal<ReadonlyMap<string, readonly MentionProblem[]>>(new Map());

  /** A signal. */
  of(messageId: string): readonly MentionProblem[] {
    return this.#byMessage[0]().get(messageId) ?? [];
  }

  note(messageId: string, problems: readonly MentionProblem[]): void {
    if (problems.length === 0) return;
    this.#byMessage[1]((old) => new Map([...old, [messageId, problems] as const].slice(-PROBLEMS_MAX)));
  }
}
