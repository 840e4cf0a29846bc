/** Creates an invite code for agents and shows the commands to type on the other machine. */
import { createSignal, Match, Show, Switch } from 'solid-js';
import type { InviteWithCode } from '../../api/model';
import { useStore } from '../../state/store_context';
import { createForm } from '../form/FormDialog';
import { RefusalText } from '../form/RefusalText';
import { SecretOnce } from '../form/SecretOnce';
import { joinLines } from './agent_commands';

const EXPIRY_FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const USES_MAX = 100;
const LABEL_CHARS_MAX = 100;

export function AgentByInvite(props: { onClose(): void }) {
  const store = useStore();
  const [label, setLabel] = createSignal('');
  const [uses, setUses] = createSignal(1);
  const [made, setMade] = createSignal<InviteWithCode>();
  const form = createForm(async () => {
    const trimmed = label().trim();
    setMade(await store.commands.createInvite({ usesMax: uses(), ...(trimmed ? { label: trimmed } : {}) }));
  });
  const isReady = () => Number.isInteger(uses()) && uses() >= 1 && uses() <= USES_MAX;
  return (
    <Switch>
      <Match when={made()}>{(invite) => <CreatedInvite invite={invite()} onClose={props.onClose} />}</Match>
      <Match when={!made()}>
        <form class="dialog-form" onSubmit={form.submit} onInput={form.forget}>
          <div class="field-pair">
            <label class="field">
              <span>Number of agents</span>
              <input
                type="number"
                min="1"
                max={USES_MAX}
                value={uses()}
                onInput={(event) => setUses(event.currentTarget.valueAsNumber)}
              />
            </label>
            <label class="field">
              <span>
                Purpose <span class="field-optional">optional</span>
              </span>
              <input
                type="text"
                maxlength={LABEL_CHARS_MAX}
                placeholder="build machine"
                value={label()}
                onInput={(event) => setLabel(event.currentTarget.value)}
              />
            </label>
          </div>
          <Show when={form.refusal()}>{(refusal) => <RefusalText refusal={refusal()} />}</Show>
          <div class="form-foot">
            <button type="button" class="button" onClick={() => props.onClose()}>
              Cancel
            </button>
            <button type="submit" class="button" data-kind="main" disabled={!isReady() || form.isBusy()}>
              Create invite
            </button>
          </div>
        </form>
      </Match>
    </Switch>
  );
}

function CreatedInvite(props: { invite: InviteWithCode; onClose(): void }) {
  const agents = () => (props.invite.uses_max === 1 ? 'One agent' : `${props.invite.uses_max} agents`);
  return (
    <div class="dialog-stack">
      <SecretOnce text={joinLines(location.origin, props.invite.code)} copy="Copy the commands">
        {agents()} can join until {EXPIRY_FORMAT.format(new Date(props.invite.expires_at))}. Run these commands on the
        other machine, with the agent's name in place of NAME:
      </SecretOnce>
      <div class="form-foot">
        <button type="button" class="button" data-kind="main" onClick={() => props.onClose()}>
          Done
        </button>
      </div>
    </div>
  );
}
