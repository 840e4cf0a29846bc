import { createRoot } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { go } from '../../platform/router';
import type { Route } from '../../platform/routes';
import { StoreContext } from '../../state/store_context';
import { aMessage, fakeStore } from '../../state/testing/fixtures';
import { createLinkTarget } from './link_target';

const CHANNEL = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1', messageId: 'msg_5' } as const;
const BESIDE = { ...CHANNEL, pane: { kind: 'thread', id: 'thr_1' } } as const;
let dispose = () => {};

afterEach(() => {
  dispose();
  go({ view: 'home' });
});

/** Returns the targets of the channel and of the thread for an address. */
function targetsAt(address: Route, messageStandsIn?: string) {
  go(address);
  const findMessage = async () => (messageStandsIn ? aMessage({ to: messageStandsIn }) : undefined);
  const store = fakeStore({}, { findMessage });
  return createRoot((end) => {
    dispose = end;
    let targets = { channel: () => undefined as string | undefined, thread: () => undefined as string | undefined };
    StoreContext.Provider({
      value: store,
      get children() {
        targets = { channel: createLinkTarget('chn_1'), thread: createLinkTarget('thr_1') };
        return undefined;
      },
    });
    return targets;
  });
}

test('without a thread the message is of the conversation, at once', () => {
  const { channel, thread } = targetsAt(CHANNEL);
  expect(channel()).toBe('msg_5');
  expect(thread()).toBeUndefined();
});

test('a message of the thread is looked for there alone', async () => {
  const { channel, thread } = targetsAt(BESIDE, 'thr_1');
  await vi.waitFor(() => expect(thread()).toBe('msg_5'));
  expect(channel()).toBeUndefined();
});

test('a message of the channel is not looked for in the thread beside it', async () => {
  const { channel, thread } = targetsAt(BESIDE, 'chn_1');
  await vi.waitFor(() => expect(channel()).toBe('msg_5'));
  expect(thread()).toBeUndefined();
});

test('a message that is nowhere is missed in the conversation', async () => {
  const { channel, thread } = targetsAt(BESIDE);
  await vi.waitFor(() => expect(channel()).toBe('msg_5'));
  expect(thread()).toBeUndefined();
});
