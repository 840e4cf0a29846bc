/** Says when an agent pauses and goes on, for those who cannot see it. Nothing else of runs: answers are told already. */
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

/** What is new of a run that was known; what is there from the beginning, as of another project, is no news. Pure. */
export function runNews(before: Run, now: Run, name: string): string | undefined {
  if (before.state === now.state) return undefined;
  if (now.state === 'running') return `${name} goes on`;
  if (now.state !== 'paused') return undefined;
  const [first] = now.pauses ?? [];
  if (!first) return `${name} is paused`;
  return first.reason === 'message' ? `${name} is paused: ${first.from.name} asks` : `${name} waits for an answer`;
}
