/** Actions on a run: resume and stop. Asks first where something would be lost. */
import { createSignal, Show } from 'solid-js';
import type { Run } from '../../api/model';
import { Confirm } from '../../parts/dialog/Confirm';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { announce } from '../../platform/announce';
import { useStore } from '../../state/store_context';
import { isOpenRun } from './run_text';
import './RunActions.css';

export function RunActions(props: { run: Run; onChange?(run: Run): void }) {
  const store = useStore();
  const [asks, setAsks] = createSignal<'resume' | 'stop'>();
  const [isBusy, setBusy] = createSignal(false);
  const name = () => store.members().get(props.run.agent_id)?.name ?? 'The agent';
  const asked = () => (props.run.pauses ?? []).filter((pause) => pause.reason === 'asked');
  const changed = (words: string) => (run: Run) => {
    props.onChange?.(run);
    announce(words);
  };
  const resume = () => store.commands.resumeRun(props.run.id).then(changed(`${name()} continues`));
  const stop = () => store.commands.cancelRun(props.run.id).then(changed(`${name()} was stopped`));
  const resumeNow = async () => {
    if (asked().length > 0) return void setAsks('resume');
    setBusy(true);
    await toastOnRefusal(resume());
    setBusy(false);
  };
  return (
    <Show when={isOpenRun(props.run)}>
      <div class="run-acts">
        <Show when={props.run.state === 'paused'}>
          <button type="button" class="button" disabled={isBusy()} onClick={() => void resumeNow()}>
            Resume
          </button>
        </Show>
        <button type="button" class="button" data-kind="quiet" onClick={() => setAsks('stop')}>
          Stop…
        </button>
      </div>
      <Show when={asks() === 'resume'}>
        <Confirm
          title={`Resume ${name()} without an answer?`}
          act="Resume"
          kind="main"
          onConfirm={resume}
          onClose={() => setAsks(undefined)}
        >
          <p>
            {asked().length === 1 ? 'Its question is withdrawn.' : 'Its questions are withdrawn.'} Nobody can answer
            after that.
          </p>
        </Confirm>
      </Show>
      <Show when={asks() === 'stop'}>
        <Confirm title={`Stop ${name()}?`} act="Stop the run" onConfirm={stop} onClose={() => setAsks(undefined)}>
          <p>The run stops at its next checkpoint. Its text so far is kept, and you can ask again.</p>
        </Confirm>
      </Show>
    </Show>
  );
}
