/** The result of one change, before the position moves. */
import type { Snapshot } from '../../api/model';

export interface ReduceStep {
  readonly snapshot: Snapshot;
  readonly outcome: 'done' | 'reload' | 'hole';
}

export function done(snapshot: Snapshot): ReduceStep {
  return { snapshot, outcome: 'done' };
}
