/** How far a run is, as a chip with words. */
import type { Message, Run } from '../../api/model';
import { useAudience } from '../use_viewer';
import { runStateWords } from './run_text';

export function RunState(props: { run: Run; question: Message | undefined }) {
  const audience = useAudience();
  return (
    <span class="chip run-state" data-state={props.run.state}>
      <i class="run-dot" data-state={props.run.state} />
      {runStateWords(props.run, props.question, audience)}
    </span>
  );
}
