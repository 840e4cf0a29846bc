/** Creates an agent that the hub runs with one of its engines. */
import { createResource, createSignal, createUniqueId, For, Show } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { toast } from '../../parts/toast/Toast';
import { setPane } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { createForm, refusalOutside } from '../form/FormDialog';
import { RefusalText } from '../form/RefusalText';
import { AgentFields, createAgentValues } from './AgentFields';

const FIELDS = ['name', 'instructions'];
/** The provider that needs no key and no model. */
const BUILT_IN = 'built-in';

export function AgentByHub(props: { onClose(): void }) {
  const store = useStore();
  const values = createAgentValues();
  const [engines] = createResource(() => store.commands.listEngines());
  const [picked, setPicked] = createSignal<string>();
  const [model, setModel] = createSignal('');
  const offers = () => (engines.error ? [] : (engines.latest ?? []));
  const provider = () => picked() ?? offers()[0]?.provider ?? BUILT_IN;
  const models = () => offers().find((offer) => offer.provider === provider())?.models ?? [];
  const form = createForm(async () => {
    const named = model().trim();
    const engine = { provider: provider(), ...(named && provider() !== BUILT_IN ? { model: named } : {}) };
    const { agent } = await store.commands.createAgent({ ...values.request(), engine });
    props.onClose();
    setPane({ kind: 'member', id: agent.id });
    toast(`${agent.name} is in the project. Mention @${agent.name} to ask.`);
  });
  return (
    <form class="dialog-form" onSubmit={form.submit} onInput={form.forget}>
      <Show when={!engines.error} fallback={<RefusalText refusal={toRefusal(engines.error)} />}>
        <div class="field-pair">
          <label class="field">
            <span>Engine</span>
            <select value={provider()} onChange={(event) => setPicked(event.currentTarget.value)}>
              <For each={offers()}>
                {(offer) => (
                  <option value={offer.provider} selected={offer.provider === provider()}>
                    {offer.provider}
                  </option>
                )}
              </For>
            </select>
          </label>
          <Show
            when={provider() !== BUILT_IN}
            fallback={<small class="hint engine-note">The guide: a small built-in agent that needs no key.</small>}
          >
            <ModelField models={models()} value={model()} onInput={setModel} />
          </Show>
        </div>
        <AgentFields values={values} refusal={form.refusal()} />
        <Show when={refusalOutside(form.refusal(), FIELDS)}>{(refusal) => <RefusalText refusal={refusal()} />}</Show>
        <div class="form-foot">
          <button type="button" class="button" onClick={() => props.onClose()}>
            Cancel
          </button>
          <button type="submit" class="button" data-kind="main" disabled={!values.isReady() || form.isBusy()}>
            Add the agent
          </button>
        </div>
      </Show>
    </form>
  );
}

function ModelField(props: { models: readonly string[]; value: string; onInput(value: string): void }) {
  const id = createUniqueId();
  return (
    <label class="field">
      <span>Model</span>
      <input
        type="text"
        list={id}
        autocomplete="off"
        placeholder={props.models[0]}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <datalist id={id}>
        <For each={props.models}>{(model) => <option value={model} />}</For>
      </datalist>
      <small>{props.models.length > 0 ? 'Leave empty for the default.' : 'Model name at the provider.'}</small>
    </label>
  );
}
