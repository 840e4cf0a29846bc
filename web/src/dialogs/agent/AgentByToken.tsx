/** Creates an agent with a token and shows the command that starts it. */
import { createSignal, Match, Show, Switch } from 'solid-js';
import type { Agent } from '../../api/model';
import { useStore } from '../../state/store_context';
import { createForm, refusalOutside } from '../form/FormDialog';
import { RefusalText } from '../form/RefusalText';
import { SecretOnce } from '../form/SecretOnce';
import { AgentFields, createAgentValues } from './AgentFields';
import { runLine } from './agent_commands';

const FIELDS = ['name', 'instructions'];

export function AgentByToken(props: { onClose(): void }) {
  const store = useStore();
  const values = createAgentValues();
  const [made, setMade] = createSignal<{ agent: Agent; token: string }>();
  const form = createForm(async () => setMade(await store.commands.createAgent(values.request())));
  return (
    <Switch>
      <Match when={made()}>
        {(agent) => (
          <div class="dialog-stack">
            <SecretOnce text={runLine(location.origin, agent().token)} copy="Copy the command">
              {agent().agent.name} is in the project and not running yet. Start it with this command on any machine that
              has Parlour and Claude Code. For another agent, replace <code>--claude-code</code>, for example with{' '}
              <code>--codex</code> or <code>--exec</code> and any command that answers.
            </SecretOnce>
            <div class="form-foot">
              <button type="button" class="button" data-kind="main" onClick={() => props.onClose()}>
                Done
              </button>
            </div>
          </div>
        )}
      </Match>
      <Match when={!made()}>
        <form class="dialog-form" onSubmit={form.submit} onInput={form.forget}>
          <AgentFields values={values} refusal={form.refusal()} />
          <Show when={refusalOutside(form.refusal(), FIELDS)}>{(refusal) => <RefusalText refusal={refusal()} />}</Show>
          <div class="form-foot">
            <button type="button" class="button" onClick={() => props.onClose()}>
              Cancel
            </button>
            <button type="submit" class="button" data-kind="main" disabled={!values.isReady() || form.isBusy()}>
              Add agent and show token
            </button>
          </div>
        </form>
      </Match>
    </Switch>
  );
}
