/** The state of a run as a chip. */
import type { Message, Run } from '../../api/model';
import { useViewer } from '../use_viewer';
import { runStateText } from './run_text';
import './RunStateChip.css';

export function RunStateChip(props: { run: Run; question: Message | undefined }) {
  const viewer = useViewer();
  return (
    <span class="chip run-state" data-state={props.run.state}>
      <i class="run-dot" data-state={props.run.state} />
      {runStateText(props.run, props.question, viewer)}
    </span>
  );
}
