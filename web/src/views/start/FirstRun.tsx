/** The first run of a new hub: asks for a name, then opens #general with an example. */
import { createSignal, Show } from 'solid-js';
import { lazyPart } from '../../parts/loading/lazy_part';
import { giveFocus } from '../../platform/focus';
import { go } from '../../platform/router';
import type { Store } from '../../state/contract';
import { EMPTY_DRAFT } from '../../state/contract';
import { openChannels } from '../../state/selectors';
import { browserStorage } from '../../state/storage';
import { useStore } from '../../state/store_context';

const Welcome = lazyPart(() => import('./Welcome').then((file) => file.Welcome));

/** The name of the administrator on a new hub. */
const DEFAULT_ADMIN_NAME = 'Admin';
const STORAGE_KEY = 'parlour.first-run';

export function FirstRun() {
  const store = useStore();
  const [isDone, setDone] = createSignal(browserStorage().get(STORAGE_KEY) === 'done');
  const isNew = () => {
    const session = store.session();
    return session.state === 'signed_in' && session.me.role === 'admin' && session.me.name === DEFAULT_ADMIN_NAME;
  };
  const end = () => {
    browserStorage().set(STORAGE_KEY, 'done');
    setDone(true);
  };
  return (
    <Show when={isNew() && !isDone() && store.snapshot() !== undefined}>
      <Welcome
        onLater={end}
        onNamed={() => {
          end();
          showExample(store);
        }}
      />
    </Show>
  );
}

/** Opens the first channel with a prepared question to its agent. */
function showExample(store: Store): void {
  const snapshot = store.snapshot();
  const channels = snapshot ? openChannels(snapshot) : [];
  const channel = channels.find((one) => one.name === 'general') ?? channels[0];
  if (!snapshot || !channel) return;
  const agent = snapshot.agents.find((one) => one.name === 'Guide') ?? snapshot.agents[0];
  const isEmpty = store.draft(channel.id).text === '';
  if (agent && isEmpty) {
    store.commands.setDraft(channel.id, { ...EMPTY_DRAFT, text: `@${agent.name} what can you do?` });
  }
  go({ view: 'conversation', projectId: snapshot.project.id, conversationId: channel.id });
  // After the dialog has returned the focus and the composer is mounted.
  requestAnimationFrame(() => giveFocus('composer'));
}
