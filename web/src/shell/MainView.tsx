/** Shows the view of the route, or why it cannot be shown. */
import { Match, Switch } from 'solid-js';
import { lazyPart } from '../parts/loading/lazy_part';
import { route } from '../platform/router';
import type { Route } from '../platform/routes';
import { useStore } from '../state/store_context';
import { ConversationView } from '../views/conversation/ConversationView';
import { HomeView } from '../views/start/HomeView';
import { ProjectProblem } from './ProjectProblem';

const AgentView = lazyPart(() => import('../views/work_views').then((file) => file.AgentView));
const InboxView = lazyPart(() => import('../views/work_views').then((file) => file.InboxView));
const NeedsYouView = lazyPart(() => import('../views/needs_you/NeedsYouView').then((file) => file.NeedsYouView));
const RunsView = lazyPart(() => import('../views/work_views').then((file) => file.RunsView));
const SearchView = lazyPart(() => import('../views/search/SearchView').then((file) => file.SearchView));
const SettingsView = lazyPart(() => import('../views/settings/SettingsView').then((file) => file.SettingsView));

export function MainView() {
  const store = useStore();
  const conversation = () => narrow(route(), 'conversation');
  const agent = () => narrow(route(), 'agent');
  const search = () => narrow(route(), 'search');
  const projectId = () => conversation()?.projectId ?? narrow(route(), 'project')?.projectId;
  /** Only projects that could not be loaded: a loaded project stays visible when the connection is lost. */
  const problem = () => {
    const failed = store.failed();
    return failed && projectId() && store.snapshot()?.project.id !== projectId() ? failed : undefined;
  };
  return (
    <Switch fallback={<HomeView projectId={projectId()} />}>
      <Match when={problem()}>
        {(refusal) => <ProjectProblem refusal={refusal()} projectId={projectId() ?? ''} />}
      </Match>
      <Match when={conversation()}>
        {(here) => <ConversationView conversationId={here().conversationId} messageId={here().messageId} />}
      </Match>
      <Match when={search()}>{(here) => <SearchView query={here().query} />}</Match>
      <Match when={route().view === 'needs-you'}>
        <NeedsYouView />
      </Match>
      <Match when={route().view === 'inbox'}>
        <InboxView />
      </Match>
      <Match when={route().view === 'runs'}>
        <RunsView />
      </Match>
      <Match when={agent()}>{(here) => <AgentView agentId={here().id} />}</Match>
      <Match when={route().view === 'settings'}>
        <SettingsView />
      </Match>
    </Switch>
  );
}

function narrow<V extends Route['view']>(here: Route, view: V): Extract<Route, { view: V }> | undefined {
  return here.view === view ? (here as Extract<Route, { view: V }>) : undefined;
}
