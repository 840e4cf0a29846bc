/** The sidebar: project, search, conversations, agents, people, own name. A drawer on phones. */
import { onCleanup, onMount, Show, Suspense } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { lazyPart } from '../../parts/loading/lazy_part';
import { Skeleton } from '../../parts/loading/Skeleton';
import { takesFocus } from '../../platform/focus';
import { whenReady } from '../../platform/ready';
import { runShortcut } from '../../platform/shortcuts';
import { useStore } from '../../state/store_context';
import { keepFocusInside } from '../pane/drawer_focus';
import { isPhone } from '../screen';
import { useOpenProject } from '../use_open_project';
import { ArchivedRows, ChannelRows } from './ChannelRows';
import { DmRows } from './DmRows';
import { AgentRows, PeopleRows } from './MemberRows';
import { OwnRow } from './OwnRow';
import { ProjectHead } from './ProjectHead';
import { moveBetweenRows } from './sidebar_arrow_keys';
import { isSidebarOpen, setSidebarOpen } from './sidebar_state';
import { ThreadRows } from './ThreadRows';
import './Sidebar.css';

const WorkRows = lazyPart(async () => {
  await whenReady();
  return (await import('./WorkRows')).WorkRows;
});

export function Sidebar(props: { isInert: boolean }) {
  const store = useStore();
  const openId = useOpenProject();
  const snapshot = () => {
    const now = store.snapshot();
    return now?.project.id === openId() ? now : undefined;
  };
  let nav: HTMLElement | undefined;
  const isDrawer = () => isPhone() && isSidebarOpen();
  const close = () => setSidebarOpen(false);
  keepFocusInside(isDrawer, () => nav);
  onMount(() => onCleanup(takesFocus('sidebar', 'sidebar', () => focusSidebar(nav))));
  const onKeyDown = (event: KeyboardEvent) => {
    if (moveBetweenRows(nav, event.key)) return event.preventDefault();
    if (event.key !== 'Escape' || !isDrawer() || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <>
      <Show when={isDrawer()}>
        <div class="scrim" onPointerDown={close} />
      </Show>
      <nav
        class="sidebar"
        aria-label="Sidebar"
        ref={nav}
        inert={props.isInert || (isPhone() && !isSidebarOpen())}
        data-drawer={isDrawer() ? 'open' : undefined}
        onKeyDown={onKeyDown}
        onClick={(event) => isLink(event.target) && close()}
      >
        <ProjectHead />
        <JumpButton />
        <Suspense fallback={<div class="work-rows" />}>
          <WorkRows />
        </Suspense>
        <div class="sidebar-lists">
          <Show
            when={snapshot()}
            fallback={
              <Show when={!store.failed()}>
                <Skeleton label="Loading the project" lines={5} />
              </Show>
            }
          >
            {(project) => (
              <>
                <ChannelRows snapshot={project()} />
                <ThreadRows snapshot={project()} />
                <DmRows snapshot={project()} />
                <AgentRows snapshot={project()} />
                <PeopleRows snapshot={project()} />
                <Show when={project().channels.some((channel) => channel.archived_at)}>
                  <ArchivedRows snapshot={project()} />
                </Show>
              </>
            )}
          </Show>
        </div>
        <OwnRow />
      </nav>
    </>
  );
}

function JumpButton() {
  const jump = () => {
    setSidebarOpen(false);
    runShortcut('palette');
  };
  return (
    <button type="button" class="jump-button" onClick={jump}>
      <Icon name="search" size={16} />
      <span>Search or jump to…</span>
      <kbd class="kbd">{/Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}

/** On phones it opens first: a closed drawer takes no focus. */
function focusSidebar(nav: HTMLElement | undefined): void {
  if (isPhone()) return void setSidebarOpen(true);
  const row = nav?.querySelector<HTMLElement>('[aria-current=page]') ?? nav?.querySelector<HTMLElement>('a, button');
  row?.focus();
}

function isLink(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a') !== null;
}
