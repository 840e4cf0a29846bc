/** Links to the runs that are paused by a question. */
import { For, Show } from 'solid-js';
import type { Message, Run } from '../../api/model';
import { route, withPane } from '../../platform/router';
import { hrefOf, type Route } from '../../platform/routes';
import { useStore } from '../../state/store_context';

const SHOWN_MAX = 2;

export function PausedRuns(props: { runs: readonly Run[]; message: Message }) {
  const store = useStore();
  /** Members of other projects are unknown here; usually the asker itself is paused. */
  const name = (run: Run) => {
    const { from } = props.message;
    return store.members().get(run.agent_id)?.name ?? (run.agent_id === from.id ? from.name : 'an agent');
  };
  const isHere = () => store.snapshot()?.project.id === props.message.project_id;
  const words = (run: Run) => `pauses ${name(run)}`;
  return (
    <>
      <For each={props.runs.slice(0, SHOWN_MAX)}>
        {(run) => (
          <Show when={isHere()} fallback={<span class="chip question-blocks">{words(run)}</span>}>
            <a class="chip question-blocks" href={hrefOf(runRouteBeside(run.id))}>
              {words(run)}
            </a>
          </Show>
        )}
      </For>
      <Show when={props.runs.length > SHOWN_MAX}>
        <span class="chip">and {props.runs.length - SHOWN_MAX} more runs</span>
      </Show>
    </>
  );
}

/** Opens the run in the pane; views without a pane open the list of runs. */
function runRouteBeside(id: string): Route {
  const pane = { kind: 'run', id } as const;
  return withPane(route(), pane) ?? { view: 'runs', pane };
}
