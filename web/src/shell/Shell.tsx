/** The page of somebody who is signed in: sidebar, what the address names, and the pane beside it. */
import { createEffect, createSignal, Match, Show, Switch } from 'solid-js';
import { Palette } from '../palette/Palette';
import { ShortcutSheet } from '../palette/ShortcutSheet';
import { route, setPane } from '../platform/router';
import type { Pane, Route } from '../platform/routes';
import { useStore } from '../state/context';
import { ConversationView } from '../views/ConversationView';
import { DetailsPane } from '../views/DetailsPane';
import { FirstRun } from '../views/FirstRun';
import { HomeView } from '../views/HomeView';
import { MemberPane } from '../views/MemberPane';
import { SearchView } from '../views/SearchView';
import { SettingsView } from '../views/SettingsView';
import { ThreadPane } from '../views/ThreadPane';
import { Sidebar } from './Sidebar';
import './Shell.css';

export function Shell() {
  const store = useStore();
  const [isSidebarOpen, setSidebarOpen] = createSignal(false);
  const conversation = () => narrow(route(), 'conversation');
  const search = () => narrow(route(), 'search');
  createEffect(() => {
    const here = conversation();
    if (here) void store.commands.openProject(here.projectId);
  });
  return (
    <div
      class="shell"
      data-sidebar={isSidebarOpen() ? 'open' : 'closed'}
      data-pane={conversation()?.pane ? 'open' : 'closed'}
    >
      <Sidebar onNavigate={() => setSidebarOpen(false)} />
      <Switch fallback={<HomeView />}>
        <Match when={conversation()}>
          {(here) => <ConversationView conversationId={here().conversationId} messageId={here().messageId} />}
        </Match>
        <Match when={search()}>{(here) => <SearchView query={here().query} />}</Match>
        <Match when={route().view === 'settings'}>
          <SettingsView />
        </Match>
      </Switch>
      <Show when={conversation()?.pane}>
        {(pane) => <PaneContent pane={pane()} conversationId={conversation()?.conversationId ?? ''} />}
      </Show>
      <Palette />
      <ShortcutSheet />
      <FirstRun />
    </div>
  );
}

function PaneContent(props: { pane: Pane; conversationId: string }) {
  const close = () => setPane(undefined);
  const idOf = (kind: Pane['kind']) =>
    props.pane.kind === kind && props.pane.kind !== 'details' ? props.pane.id : undefined;
  return (
    <aside class="pane">
      <Switch fallback={<DetailsPane conversationId={props.conversationId} onClose={close} />}>
        <Match when={idOf('thread')}>{(id) => <ThreadPane threadId={id()} onClose={close} />}</Match>
        <Match when={idOf('member')}>{(id) => <MemberPane memberId={id()} onClose={close} />}</Match>
      </Switch>
    </aside>
  );
}

function narrow<V extends Route['view']>(here: Route, view: V): Extract<Route, { view: V }> | undefined {
  return here.view === view ? (here as Extract<Route, { view: V }>) : undefined;
}
