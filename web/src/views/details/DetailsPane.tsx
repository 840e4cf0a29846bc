/** The details pane: topic, members, threads and files of the open conversation. */
import { createMemo, createSignal, createUniqueId, Match, Show, Switch } from 'solid-js';
import type { Snapshot } from '../../api/model';
import { TabList, TabPanel } from '../../parts/Tabs';
import { PaneHead } from '../../shell/pane/PaneHead';
import { type Conversation, conversationOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { About } from './About';
import { Files } from './Files';
import { Members } from './Members';
import { Threads } from './Threads';
import './DetailsPane.css';

type TabId = 'about' | 'members' | 'threads' | 'files';

export function DetailsPane(props: { conversationId: string; onClose(): void }) {
  const store = useStore();
  const found = createMemo(() => {
    const snapshot = store.snapshot();
    const conversation = snapshot && conversationOf(snapshot, props.conversationId);
    return conversation && { snapshot, conversation };
  });
  return (
    <section class="details" aria-label="About this conversation">
      <Show
        when={found()}
        fallback={
          <PaneHead onClose={props.onClose}>
            <h2>Details</h2>
          </PaneHead>
        }
      >
        {(now) => <Details {...now()} onClose={props.onClose} />}
      </Show>
    </section>
  );
}

function Details(props: { snapshot: Snapshot; conversation: Conversation; onClose(): void }) {
  const name = createUniqueId();
  const [chosen, setChosen] = createSignal<TabId>('about');
  const tabs = () => tabsOf(props.conversation);
  // Another conversation may lack the tab that was open.
  const open = () => (tabs().some((tab) => tab.id === chosen()) ? chosen() : 'about');
  return (
    <>
      <PaneHead onClose={props.onClose}>
        <TabList name={name} label="Details" tabs={tabs()} selected={open()} onSelect={setChosen} />
      </PaneHead>
      <TabPanel name={name} tab={open()} class="details-body">
        <Switch fallback={<About snapshot={props.snapshot} conversation={props.conversation} />}>
          <Match when={open() === 'members'}>
            <Members snapshot={props.snapshot} conversation={props.conversation} />
          </Match>
          <Match when={open() === 'threads'}>
            <Threads snapshot={props.snapshot} channelId={props.conversation.id} />
          </Match>
          <Match when={open() === 'files'}>
            <Files snapshot={props.snapshot} conversationId={props.conversation.id} />
          </Match>
        </Switch>
      </TabPanel>
    </>
  );
}

/** Four tabs just fit the narrowest pane, so they have no counts. */
function tabsOf(conversation: Conversation): { id: TabId; label: string }[] {
  return [
    { id: 'about', label: 'About' },
    { id: 'members', label: 'Members' },
    ...(conversation.type === 'channel' ? [{ id: 'threads', label: 'Threads' } as const] : []),
    { id: 'files', label: 'Files' },
  ];
}
