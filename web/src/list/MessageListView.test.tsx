import { cleanup, render, screen, waitFor } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../api/refusal';
import { giveFocus } from '../platform/focus';
import { runShortcut } from '../platform/shortcuts';
import type { MessageList } from '../state/contract';
import { StoreContext } from '../state/store_context';
import { aMessage, fakeStore, fixedMessageList } from '../state/testing/fixtures';
import { MessageListView } from './MessageListView';

/** Simulates layout: the list is 400 pixels high, every row 50. */
class FakeResizeObserver {
  constructor(private readonly callback: (entries: readonly unknown[]) => void) {}
  observe(target: HTMLElement): void {
    const height = target.classList.contains('message-list') ? 400 : 50;
    queueMicrotask(() => this.callback([{ target, contentRect: { width: 600, height } }]));
  }
  unobserve(): void {}
  disconnect(): void {}
}

const tobias = { from: { type: 'person' as const, id: 'per_tobias', name: 'Tobias' } };
const many = Array.from({ length: 300 }, (_, index) =>
  aMessage({ id: `msg_${index}`, seq: index + 1, body: `Message ${index}`, ...tobias }),
);

beforeEach(() => {
  Object.assign(document.defaultView ?? {}, { ResizeObserver: FakeResizeObserver });
  Object.defineProperty(HTMLElement.prototype, 'offsetParent', { configurable: true, get: () => document.body });
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  sessionStorage.clear();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Every test has its own conversation, because positions are remembered. */
let conversations = 0;

function show(more: Partial<MessageList> = {}, messages = many, targetId?: string) {
  conversations += 1;
  const store = fakeStore();
  const messageList = fixedMessageList(messages, { conversationId: `chn_${conversations}`, ...more });
  render(() => (
    <StoreContext.Provider value={store}>
      <MessageListView
        messageList={messageList}
        label="Messages in #general"
        targetId={targetId}
        scope="conversation"
        beginning={() => <h2>This is the beginning</h2>}
      />
    </StoreContext.Provider>
  ));
  return { store, messageList, list: screen.queryByRole('feed') };
}

const shownIds = () => [...document.querySelectorAll<HTMLElement>('article.message')].map((row) => row.dataset.id);

describe('the list', () => {
  test('opens at its end, with only a few rows in the page', async () => {
    const { list } = show();
    await waitFor(() => expect(shownIds()).toContain('msg_299'));
    expect(shownIds().length).toBeLessThan(40);
    expect(list?.getAttribute('aria-busy')).toBe('false');
    expect(list?.dataset.follows).toBe('');
  });

  test('opens at the message of a link, and marks it', async () => {
    show({}, many, 'msg_7');
    await waitFor(() => expect(document.querySelector('[data-highlighted] [data-id="msg_7"]')).not.toBeNull());
    expect(shownIds()).not.toContain('msg_299');
    expect(screen.getAllByRole('button', { name: 'Newest messages' })).toHaveLength(1);
  });

  test('shows the start of the conversation above the first message', async () => {
    show({}, many.slice(0, 2));
    expect(await screen.findAllByRole('heading', { name: 'This is the beginning' })).toHaveLength(1);
  });

  test('marks visible messages as read', async () => {
    const { store, messageList } = show();
    await waitFor(() =>
      expect(store.asked).toContainEqual({ name: 'markRead', with: [messageList.conversationId, 300] }),
    );
  });

  test('shows where the unread messages begin', async () => {
    show({ readAtOpening: () => 290 });
    await waitFor(() => expect(document.querySelector('.unread-line')).not.toBeNull());
  });

  test('loads older messages near the top', async () => {
    const loadOlder = vi.fn(async () => {});
    show({ older: () => 'more', loadOlder }, many.slice(0, 5));
    await waitFor(() => expect(loadOlder).toHaveBeenCalled());
  });

  test('reports older messages that could not be loaded, and retries', async () => {
    const loadOlder = vi.fn(async () => {});
    show({ older: () => 'failed', loadOlder }, many.slice(0, 5));
    (await screen.findByRole('button', { name: 'Try again' })).click();
    expect(loadOlder).toHaveBeenCalledOnce();
  });
});

describe('the keyboard', () => {
  test('reaches the list as a part of the page, and goes from message to message', async () => {
    const { list } = show();
    await waitFor(() => expect(shownIds()).toContain('msg_299'));
    expect(giveFocus('messages')).toBe(true);
    expect(document.activeElement).toBe(list);
    runShortcut('previous-message');
    const first = document.activeElement?.getAttribute('data-id');
    runShortcut('previous-message');
    const second = document.activeElement?.getAttribute('data-id');
    expect(Number(first?.slice(4)) - Number(second?.slice(4))).toBe(1);
  });

  test('scrolls to the end with End', async () => {
    const { list } = show({}, many, 'msg_7');
    await waitFor(() => expect(shownIds()).toContain('msg_7'));
    list?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true, cancelable: true }));
    await waitFor(() => expect(shownIds()).toContain('msg_299'));
    expect(screen.queryByRole('button', { name: 'Newest messages' })).toBeNull();
  });
});

test('a failed load shows cause, code and a retry button', async () => {
  const reload = vi.fn(async () => {});
  show({ failed: () => new Refusal('PARLOUR-S01', 'The hub is busy.'), reload });
  expect(screen.getByRole('alert').textContent).toContain('The hub is busy.');
  expect(screen.getByRole('alert').textContent).toContain('PARLOUR-S01');
  screen.getByRole('button', { name: 'Try again' }).click();
  expect(reload).toHaveBeenCalledOnce();
});

test('while it loads there is only a text for screen readers', () => {
  const { list } = show({ loading: () => true }, []);
  expect(list?.getAttribute('aria-busy')).toBe('true');
  expect(shownIds()).toEqual([]);
});
