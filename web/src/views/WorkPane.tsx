/** The panes of a run, a task and a context. */
import { Match, Switch } from 'solid-js';
import type { Pane } from '../platform/routes';
import { ContextPane } from './context/ContextPane';
import { RunPane } from './run/RunPane';
import { TaskPane } from './run/TaskPane';

export function WorkPane(props: { pane: Pane; onClose(): void }) {
  const idOf = (kind: 'run' | 'task' | 'context') => (props.pane.kind === kind ? props.pane.id : undefined);
  return (
    <Switch>
      <Match when={idOf('run')}>{(id) => <RunPane runId={id()} onClose={props.onClose} />}</Match>
      <Match when={idOf('task')}>{(id) => <TaskPane taskId={id()} onClose={props.onClose} />}</Match>
      <Match when={idOf('context')}>{(id) => <ContextPane paneId={id()} onClose={props.onClose} />}</Match>
    </Switch>
  );
}
