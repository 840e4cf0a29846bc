/** The task pane: state, agent and timeline. */
import { createMemo, Show } from 'solid-js';
import { hrefOf } from '../../platform/routes';
import { PaneHead } from '../../shell/pane/PaneHead';
import { useStore } from '../../state/store_context';
import { Fact } from '../details/Fact';
import { useMessages } from '../use_messages';
import { Timeline } from './Timeline';
import '../details/DetailsPane.css';
import './run_sections.css';
import './TaskPane.css';

const ENDED_STATES = ['done', 'failed', 'cancelled'];

export function TaskPane(props: { taskId: string; onClose(): void }) {
  return (
    <section class="task-pane" aria-label="Task">
      <PaneHead onClose={props.onClose}>
        <h2>Task</h2>
      </PaneHead>
      <Show when={props.taskId} keyed>
        {(id) => <OneTask id={id} />}
      </Show>
    </section>
  );
}

function OneTask(props: { id: string }) {
  const store = useStore();
  const messageOf = useMessages();
  const task = createMemo(() => store.snapshot()?.tasks.find((one) => one.id === props.id));
  const nameOf = (id: string | null | undefined) =>
    id ? (store.members().get(id)?.name ?? 'Former member') : undefined;
  /** Changes with every event of the task or its runs. */
  const version = () =>
    [
      task()?.updated_at,
      ...store
        .runs()
        .filter((run) => run.task_id === props.id)
        .map((run) => run.updated_at),
    ].join();
  const thread = () => {
    const id = task()?.thread_id;
    const found = id ? store.snapshot()?.threads.find((one) => one.id === id) : undefined;
    return found && hrefOf({ view: 'conversation', projectId: found.project_id, conversationId: found.id });
  };
  return (
    <div class="details-body">
      <Show when={task()} fallback={<p class="hint">An older task: only its timeline is shown.</p>}>
        {(now) => (
          <>
            <h3 class="details-title">{now().title}</h3>
            <Show when={now().description}>{(text) => <p class="task-about">{text()}</p>}</Show>
            <dl class="facts run-facts">
              <Fact name="Is">{now().status}</Fact>
              <Show when={nameOf(now().assignee)}>{(name) => <Fact name="Done by">{name()}</Fact>}</Show>
              <Fact name="Given by">{nameOf(now().created_by)}</Fact>
              <Show when={thread()}>
                {(href) => (
                  <Fact name="Discussed">
                    <a href={href()}>in its thread</a>
                  </Fact>
                )}
              </Show>
            </dl>
          </>
        )}
      </Show>
      <Timeline
        of={{ task: props.id }}
        version={version()}
        isOpen={!ENDED_STATES.includes(task()?.status ?? 'done')}
        messageOf={messageOf}
      />
    </div>
  );
}
