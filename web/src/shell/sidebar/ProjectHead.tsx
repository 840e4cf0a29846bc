/** Header of the sidebar: project menu and connection. */
import { createMemo } from 'solid-js';
import { openDialog } from '../../dialogs/open_dialog';
import { initials } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { MenuButton, type MenuEntry } from '../../parts/menu/Menu';
import { hrefOf } from '../../platform/routes';
import type { Unread } from '../../state/contract';
import { useStore } from '../../state/store_context';
import { useOpenProject } from '../use_open_project';
import { ConnectionLine } from './ConnectionLine';
import './ProjectHead.css';

export function ProjectHead() {
  const store = useStore();
  const openId = useOpenProject();
  const name = () => store.projects().find((project) => project.id === openId())?.name ?? 'Parlour';
  const entries = createMemo((): MenuEntry[] => [
    { type: 'title', label: 'Projects' },
    ...store.projects().map((project): MenuEntry => {
      const isOpen = project.id === openId();
      const unread = isOpen ? undefined : store.unreadOfProjects().get(project.id);
      const href = hrefOf({ view: 'project', projectId: project.id });
      return { type: 'link', label: project.name, href, icon: isOpen ? 'check' : 'chat', detail: unreadText(unread) };
    }),
    { type: 'line' },
    { label: 'Create a project', icon: 'plus', run: () => openDialog({ kind: 'create-project' }) },
  ]);
  return (
    <header class="sidebar-head">
      <MenuButton class="project-button" label={`${name()}, switch project`} entries={entries()}>
        <span class="project-mark" data-initials={initials(name(), 1)} />
        <span class="project-name">{name()}</span>
        <Icon name="chevron" size={16} />
      </MenuButton>
      <ConnectionLine />
    </header>
  );
}

/** Mentions are shown before other unread messages. */
export function unreadText(unread: Unread | undefined): string | undefined {
  if (unread?.mentions) return unread.mentions === 1 ? '1 mention' : `${unread.mentions} mentions`;
  return unread?.messages ? `${unread.messages} unread` : undefined;
}
