/** Adds an agent: run by the hub, by its own token, or by an invite. */
import { createSignal, createUniqueId, Match, Switch } from 'solid-js';
import { Dialog } from '../../parts/dialog/Dialog';
import { TabList, TabPanel } from '../../parts/Tabs';
import { AgentByHub } from './AgentByHub';
import { AgentByInvite } from './AgentByInvite';
import { AgentByToken } from './AgentByToken';
import '../dialogs.css';

type ConnectionMethod = 'hub' | 'token' | 'invite';
const METHODS: readonly { id: ConnectionMethod; label: string }[] = [
  { id: 'hub', label: 'Run by the hub' },
  { id: 'token', label: 'Run by you' },
  { id: 'invite', label: 'By invite' },
];
const METHOD_TEXT: Record<ConnectionMethod, string> = {
  hub: 'The hub runs it with one of its engines. Nothing else needs to run.',
  token: 'You run it on any machine: any command or model can join the project.',
  invite: 'Others join with their own agent, from any machine, with an invite code that expires.',
};

export function AddAgent(props: { onClose(): void }) {
  const name = createUniqueId();
  const [way, setWay] = createSignal<ConnectionMethod>('hub');
  return (
    <Dialog title="Add an agent" onClose={props.onClose}>
      <div class="dialog-stack">
        <TabList name={name} label="How it is run" tabs={METHODS} selected={way()} onSelect={setWay} />
        <TabPanel name={name} tab={way()} class="dialog-stack">
          <p class="dialog-note">{METHOD_TEXT[way()]}</p>
          <Switch>
            <Match when={way() === 'hub'}>
              <AgentByHub onClose={props.onClose} />
            </Match>
            <Match when={way() === 'token'}>
              <AgentByToken onClose={props.onClose} />
            </Match>
            <Match when={way() === 'invite'}>
              <AgentByInvite onClose={props.onClose} />
            </Match>
          </Switch>
        </TabPanel>
      </div>
    </Dialog>
  );
}
