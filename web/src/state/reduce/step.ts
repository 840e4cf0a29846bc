/** What one change makes of a snapshot, before its position moves. */
import type { Snapshot } from '../../api/model';

export interface Step {
  readonly snapshot: Snapshot;
  readonly outcome: 'done' | 'reload' | 'hole';
}

export function done(snapshot: Snapshot): Step {
  return { snapshot, outcome: 'done' };
}
