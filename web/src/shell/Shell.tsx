/** The workspace of a signed-in person: sidebar, main view and pane. */
import { createEffect, Match, on, onCleanup, Show, Switch } from 'solid-js';
import { Dialogs } from '../dialogs/Dialogs';
import { Palette } from '../palette/Palette';
import { ShortcutDialog } from '../palette/ShortcutDialog';
import { lazyPart, preloadLazyParts } from '../parts/loading/lazy_part';
import { giveFocus } from '../platform/focus';
import { paneOf, route, setPane } from '../platform/router';
import type { Pane } from '../platform/routes';
import { useStore } from '../state/store_context';
import { FirstRun } from '../views/start/FirstRun';
import { followProject } from './follow_route_project';
import { MainView } from './MainView';
import { createLastSeen } from './member/last_seen';
import { LastSeenContext } from './member/use_member_state';
import { toastConnectionChanges } from './notices/connection_toasts';
import { answerPageKeys } from './page_keys';
import { PaneFrame } from './pane/PaneFrame';
import { paneWidth } from './pane/pane_width';
import { isNarrow, isPhone } from './screen';
import { Sidebar } from './sidebar/Sidebar';
import { isSidebarOpen, setSidebarOpen } from './sidebar/sidebar_state';
import { followViewport } from './viewport';
import './Shell.css';

const DetailsPane = lazyPart(() => import('../views/details/DetailsPane').then((file) => file.DetailsPane));
const ThreadPane = lazyPart(() => import('../views/thread/ThreadPane').then((file) => file.ThreadPane));
const WorkPane = lazyPart(() => import('../views/work_views').then((file) => file.WorkPane));
const MemberPane = lazyPart(() => import('../views/member/MemberPane').then((file) => file.MemberPane));

export function Shell() {
  const store = useStore();
  const pane = () => paneOf(route());
  const hasDrawerPane = () => isNarrow() && pane() !== undefined;
  const hasDrawerSidebar = () => isPhone() && isSidebarOpen();
  followProject(store);
  toastConnectionChanges(store.connection);
  answerPageKeys(store);
  onCleanup(followViewport());
  preloadLazyParts();
  createEffect(on(route, () => setSidebarOpen(false), { defer: true }));
  return (
    <LastSeenContext.Provider value={createLastSeen(store.presence)}>
      <div class="shell" data-pane={pane() ? 'open' : 'closed'} style={{ '--pane-width': `${paneWidth()}px` }}>
        <button type="button" class="skip-link" onClick={() => giveFocus('messages')}>
          Skip to messages
        </button>
        <Sidebar isInert={hasDrawerPane()} />
        <div class="shell-middle" inert={hasDrawerPane() || hasDrawerSidebar()}>
          <MainView />
        </div>
        <Show when={pane()}>{(open) => <PaneOf pane={open()} />}</Show>
        <Palette />
        <ShortcutDialog />
        <FirstRun />
        <Dialogs />
      </div>
    </LastSeenContext.Provider>
  );
}

const PANE_LABELS = {
  thread: 'Thread',
  member: 'Member',
  run: 'Run',
  task: 'Task',
  context: 'Context preview',
  details: 'Details',
} as const;

function PaneOf(props: { pane: Pane }) {
  const close = () => setPane(undefined);
  const idOf = (kind: Pane['kind']) =>
    props.pane.kind === kind && props.pane.kind !== 'details' ? props.pane.id : undefined;
  const conversationId = () => {
    const here = route();
    return here.view === 'conversation' ? here.conversationId : '';
  };
  return (
    <PaneFrame label={PANE_LABELS[props.pane.kind]} onClose={close}>
      <Switch fallback={<WorkPane pane={props.pane} onClose={close} />}>
        <Match when={props.pane.kind === 'details'}>
          <DetailsPane conversationId={conversationId()} onClose={close} />
        </Match>
        <Match when={idOf('thread')}>{(id) => <ThreadPane threadId={id()} onClose={close} />}</Match>
        <Match when={idOf('member')}>{(id) => <MemberPane memberId={id()} onClose={close} />}</Match>
      </Switch>
    </PaneFrame>
  );
}
