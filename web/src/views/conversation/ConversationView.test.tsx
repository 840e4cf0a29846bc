import { cleanup, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { announcement } from '../../platform/announce';
import { go, route } from '../../platform/router';
import { runShortcut } from '../../platform/shortcuts';
import { isSidebarOpen, setSidebarOpen } from '../../shell/sidebar/sidebar_state';
import type { Store } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { aChannel, aMessage, aSnapshot, fakeStore, fixedMessageList } from '../../state/testing/fixtures';
import { ConversationView } from './ConversationView';

const RELEASE = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_release' } as const;

beforeEach(() => go(RELEASE));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show(parts: Partial<Store> = {}, conversationId = 'chn_release') {
  const store = fakeStore(parts);
  render(() => (
    <StoreContext.Provider value={store}>
      <ConversationView conversationId={conversationId} />
    </StoreContext.Provider>
  ));
  return store;
}

describe('the bar', () => {
  test('shows title and members', () => {
    show();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('release');
    expect(screen.getByTitle('Ship 0.4').textContent).toBe('Ship 0.4');
    screen.getByRole('button', { name: '4 members' }).click();
    expect(route()).toMatchObject({ pane: { kind: 'details' } });
  });

  test('shows a lock for a private channel, and who of its members is counted', () => {
    const channels = [aChannel('chn_release', 'release', { visibility: 'private' })];
    const channel_members = [{ channel_id: 'chn_release', member_id: 'per_mara' }] as never[];
    show({ snapshot: () => aSnapshot({ channels, channel_members }) });
    expect(screen.getByRole('button', { name: '1 member' })).toBeDefined();
  });

  test('opens the sidebar, and says how often the reader is mentioned', () => {
    setSidebarOpen(false);
    const reading = [{ conversation_id: 'chn_general', last_seq: 9, read_seq: 1, unread: 8, mentions: [3, 4] }];
    show({
      snapshot: () => aSnapshot({ reading }),
      unreadOfProjects: () => new Map([['prj_2', { messages: 5, mentions: 1 }]]),
    });
    screen.getByRole('button', { name: 'Open the sidebar, 3 mentions' }).click();
    expect(isSidebarOpen()).toBe(true);
  });
});

describe('the line above the composer', () => {
  test('says who answers, and stops the answer', () => {
    const store = show({ answering: () => [{ messageId: 'msg_9', memberId: 'agt_reviewer', name: 'Reviewer' }] });
    expect(screen.getByText(/Reviewer is answering/)).toBeDefined();
    screen.getByRole('button', { name: 'Stop Reviewer' }).click();
    expect(store.asked).toContainEqual({ name: 'cancelAnswer', with: ['msg_9'] });
  });

  test('the focus moves to the messages when the button that has it disappears', () => {
    const [answering, setAnswering] = createSignal([{ messageId: 'msg_9', name: 'Reviewer' }]);
    const messageList = fixedMessageList([aMessage({ id: 'msg_9', state: 'cancelled', to: 'chn_release' })]);
    show({ answering, messageList: () => messageList });
    screen.getByRole('button', { name: 'Stop Reviewer' }).focus();
    setAnswering([]);
    expect(document.activeElement).toBe(screen.getByRole('feed'));
  });

  test('says who is typing', () => {
    show({ typing: () => ['per_tobias'] });
    expect(screen.getByText(/Tobias is typing/)).toBeDefined();
  });

  test('the end of an answer is announced, but not in another conversation', () => {
    const [answering, setAnswering] = createSignal([{ messageId: 'msg_9', name: 'Reviewer' }]);
    const messageList = fixedMessageList([aMessage({ id: 'msg_9', state: 'failed', to: 'chn_release' })]);
    show({ answering: (id) => (id === 'chn_release' ? answering() : []), messageList: () => messageList });
    setAnswering([]);
    expect(announcement()).toBe('Reviewer could not answer');
  });
});

test('a hidden conversation says so, with a link to the start', async () => {
  vi.useFakeTimers();
  show({}, 'chn_secret');
  expect(screen.queryByText(/does not exist/)).toBeNull();
  await vi.advanceTimersByTimeAsync(400);
  expect(screen.getByText('This conversation does not exist, or you are not in it.')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Go to your conversations' }).getAttribute('href')).toBe('#/');
});

test('nothing of another project is shown while the project of the address loads', () => {
  go({ ...RELEASE, projectId: 'prj_2' });
  show();
  expect(screen.queryByRole('feed')).toBeNull();
  expect(screen.queryByText('release')).toBeNull();
});

test('a link to a thread opens its channel, with the thread beside it', () => {
  const thread = {
    id: 'thr_1',
    project_id: 'prj_1',
    channel_id: 'chn_release',
    root_message_id: 'msg_1',
    created_at: '',
  };
  go({ ...RELEASE, conversationId: 'thr_1', messageId: 'msg_5' });
  show({ snapshot: () => aSnapshot({ threads: [thread] }) }, 'thr_1');
  expect(route()).toEqual({ ...RELEASE, messageId: 'msg_5', pane: { kind: 'thread', id: 'thr_1' } });
});

test('the shortcut reads everything', () => {
  const reading = [{ conversation_id: 'chn_release', last_seq: 41, read_seq: 3, unread: 38, mentions: [] }];
  const store = show({ snapshot: () => aSnapshot({ reading }) });
  runShortcut('mark-read');
  expect(store.asked).toContainEqual({ name: 'markRead', with: ['chn_release', 41] });
});
