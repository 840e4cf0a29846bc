/** Announces to screen readers when an agent pauses and resumes. */
import { createEffect, on } from 'solid-js';
import type { Run } from '../../api/model';
import { announce } from '../../platform/announce';
import type { Store } from '../../state/contract';

export function announceRuns(store: Store): void {
  createEffect(
    on(store.runs, (now, before = []) => {
      for (const run of now) {
        const known = before.find((one) => one.id === run.id);
        const words = known && runNews(known, run, store.members().get(run.agent_id)?.name ?? 'An agent');
        if (words) announce(words);
      }
    }),
  );
}

/** Returns what changed in a known run; runs that were there from the start are not announced. Pure. */
export function runNews(before: Run, now: Run, name: string): string | undefined {
  if (before.state === now.state) return undefined;
  if (now.state === 'running') return `${name} continues`;
  if (now.state !== 'paused') return undefined;
  const [first] = now.pauses ?? [];
  if (!first) return `${name} is paused`;
  return first.reason === 'message' ? `${name} is paused: ${first.from.name} asks` : `${name} is waiting for an answer`;
}
