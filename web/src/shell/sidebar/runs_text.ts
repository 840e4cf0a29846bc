/** Formats the number of running and paused runs; empty when there are none. Pure. */
import type { Run } from '../../api/model';

export function runsText(runs: readonly Run[]): string {
  const paused = runs.filter((run) => run.state === 'paused').length;
  const running = runs.filter((run) => run.state === 'running').length;
  const words = [running > 0 ? `${running} running` : '', paused > 0 ? `${paused} paused` : ''];
  return words.filter((word) => word !== '').join(', ');
}
