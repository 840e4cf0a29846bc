import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { markReady } from '../../platform/ready';
import { go } from '../../platform/router';
import { StoreContext } from '../../state/store_context';
import { aSnapshot, fakeStore, fixedMessageList } from '../../state/testing/fixtures';
import { replyText, ThreadPane } from './ThreadPane';

const THREAD = {
  ...{ id: 'thr_1', project_id: 'prj_1', channel_id: 'chn_general', root_message_id: 'msg_1', created_at: '' },
};

afterEach(cleanup);

function show() {
  go({
    view: 'conversation',
    projectId: 'prj_1',
    conversationId: 'chn_general',
    pane: { kind: 'thread', id: 'thr_1' },
  });
  const store = fakeStore({
    snapshot: () => aSnapshot({ threads: [THREAD] }),
    messageList: (id) => fixedMessageList([], { conversationId: id }),
  });
  const onClose = vi.fn();
  render(() => (
    <StoreContext.Provider value={store}>
      <ThreadPane threadId="thr_1" onClose={onClose} />
    </StoreContext.Provider>
  ));
  return { store, onClose };
}

test('the head names the channel and leads back to it', () => {
  const { onClose } = show();
  expect(screen.getByRole('heading', { name: 'Thread' })).toBeDefined();
  expect(screen.getByRole('link', { name: '#general' }).getAttribute('href')).toBe('#/p/prj_1/c/chn_general');
  screen.getByRole('button', { name: 'Close the pane' }).click();
  expect(onClose).toHaveBeenCalledOnce();
});

test('replies and a composer of their own', async () => {
  show();
  markReady();
  expect(screen.getByRole('feed', { name: 'Replies' })).toBeDefined();
  expect(await screen.findByRole('form', { name: 'Message the thread' }, { timeout: 10_000 })).toBeDefined();
});

test('replies are counted in words', () => {
  expect([0, 1, 7].map(replyText)).toEqual(['No replies yet', '1 reply', '7 replies']);
});
