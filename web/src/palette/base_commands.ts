/** Commands that are always available. */
import { toRefusal } from '../api/refusal';
import { openDialog } from '../dialogs/open_dialog';
import { toast } from '../parts/toast/Toast';
import { go, route } from '../platform/router';
import { runShortcut } from '../platform/shortcuts';
import type { Preferences, Store } from '../state/contract';
import { readingOf } from '../state/selectors';
import { addCommands, type PaletteCommand } from './commands';

export const BASE_COMMANDS: readonly PaletteCommand[] = [
  {
    id: 'new-channel',
    label: 'Create a channel',
    words: 'new add',
    icon: 'hash',
    run: () => openDialog({ kind: 'create-channel' }),
  },
  {
    id: 'new-dm',
    label: 'Start a direct message',
    words: 'new message write',
    icon: 'chat',
    run: () => openDialog({ kind: 'start-dm' }),
  },
  {
    id: 'invite',
    label: 'Invite people',
    words: 'add member link',
    icon: 'people',
    run: () => openDialog({ kind: 'invite-people' }),
  },
  {
    id: 'add-agent',
    label: 'Add an agent',
    words: 'new invite',
    icon: 'spark',
    run: () => openDialog({ kind: 'add-agent' }),
  },
  {
    id: 'new-project',
    label: 'Create a project',
    words: 'new add',
    icon: 'plus',
    run: () => openDialog({ kind: 'create-project' }),
  },
  {
    id: 'mark-read',
    label: 'Mark the conversation as read',
    icon: 'check',
    shortcut: 'mark-read',
    isFor: () => route().view === 'conversation',
    run: markRead,
  },
  {
    id: 'search',
    label: 'Search messages',
    words: 'find',
    icon: 'search',
    shortcut: 'search',
    run: () => go({ view: 'search', query: '' }),
  },
  overview('needs-you', 'Open Needs you', 'questions board waiting', 'question'),
  overview('inbox', 'Open the inbox', 'unread mentions', 'inbox'),
  overview('runs', 'Open runs', 'working paused', 'play'),
  {
    id: 'settings',
    label: 'Open settings',
    words: 'preferences name password',
    icon: 'settings',
    shortcut: 'settings',
    run: () => go({ view: 'settings' }),
  },
  theme('dark', 'Use the dark theme', 'moon'),
  theme('light', 'Use the light theme', 'sun'),
  theme('system', 'Use the theme of the system', 'screen'),
  {
    id: 'columns',
    label: 'Switch between one column and two',
    words: 'layout single',
    icon: 'pane',
    run: ({ commands, preferences }) => commands.setPreferences({ singleColumn: !preferences().singleColumn }),
  },
  {
    id: 'sheet',
    label: 'Show the shortcuts',
    words: 'keys keyboard help',
    icon: 'keyboard',
    shortcut: 'sheet',
    run: () => void runShortcut('sheet'),
  },
  { id: 'docs', label: 'Read about the API', words: 'documentation help', icon: 'file', run: () => open('/docs') },
  { id: 'sign-out', label: 'Sign out', words: 'leave log out', icon: 'exit', run: signOut },
];

export function addBaseCommands(): () => void {
  return addCommands(BASE_COMMANDS);
}

function overview(
  view: 'needs-you' | 'inbox' | 'runs',
  label: string,
  words: string,
  icon: PaletteCommand['icon'],
): PaletteCommand {
  return { id: view, label, words, icon, shortcut: view, run: () => go({ view }) };
}

function theme(request: Preferences['theme'], label: string, icon: PaletteCommand['icon']): PaletteCommand {
  return {
    id: `theme-${request}`,
    label,
    words: 'mode colours appearance',
    icon,
    isFor: (store) => store.preferences().theme !== request,
    run: (store) => store.commands.setPreferences({ theme: request }),
  };
}

function markRead(store: Store): void {
  const here = route();
  const snapshot = store.snapshot();
  if (here.view !== 'conversation' || !snapshot) return;
  const last = readingOf(snapshot, here.conversationId)?.last_seq;
  if (last) store.commands.markRead(here.conversationId, last);
}

function signOut(store: Store): void {
  store.commands.signOut().catch((thrown: unknown) => {
    const { message, code } = toRefusal(thrown);
    toast(`You are still signed in. ${message} (${code})`, { kind: 'danger' });
  });
}
