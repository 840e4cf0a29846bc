import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NotificationOptions, notifications } from '../../platform/notifications';
import { go } from '../../platform/router';
import type { Questions } from '../../state/contract';
import { anOpenQuestion, aQuestionMessage, fakeStore } from '../../state/testing/fixtures';
import { isOnScreen, notifyAboutQuestions } from './question_notifications';

const loadPreview = vi.fn();
const settled = () => vi.advanceTimersByTimeAsync(0);
let shownNotifications: NotificationOptions[];
let end: () => void;
beforeEach(() => {
  shownNotifications = [];
  go({ view: 'settings' }, { replace: true });
  vi.useFakeTimers();
  loadPreview.mockReset().mockResolvedValue('The key is [aws-key 1]. Column?');
  vi.spyOn(notifications, 'show').mockImplementation((request) => void shownNotifications.push(request));
});
afterEach(() => {
  end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const one = (id: string) => anOpenQuestion({ message: aQuestionMessage({}, { id }) });

function follow(notify: boolean, first: Questions) {
  const [questions, setQuestions] = createSignal(first);
  const preferences = { ...fakeStore().preferences(), notify };
  end = createRoot((dispose) => {
    notifyAboutQuestions(fakeStore({ questions, preferences: () => preferences }, { loadPreview }));
    return dispose;
  });
  return setQuestions;
}
const ready = (...ids: string[]): Questions => ({ state: 'ready', items: ids.map(one), hasMore: false });

test('only later questions are notified, each once, with a link', async () => {
  const set = follow(true, { state: 'loading', items: [], hasMore: false });
  set(ready('msg_1'));
  set(ready('msg_1', 'msg_2'));
  set(ready('msg_2'));
  set(ready('msg_1', 'msg_2'));
  await settled();
  expect(shownNotifications.map((request) => [request.tag, request.title])).toEqual([
    ['msg_2', 'Coder asks you in #general'],
  ]);
  shownNotifications[0]?.onClick();
  expect(location.hash).toBe('#/p/prj_1/c/chn_general/m/msg_2');
});

test('nothing is notified without permission', async () => {
  const set = follow(false, ready());
  set(ready('msg_1'));
  await settled();
  expect([shownNotifications, loadPreview.mock.calls]).toEqual([[], []]);
});

test('the body is the redacted preview of the hub, never the text of the page', async () => {
  const set = follow(true, ready());
  const message = aQuestionMessage({}, { id: 'msg_1', body: 'The key is AKIA-not-for-lock-screens. Column?' });
  set({ ...ready(), items: [anOpenQuestion({ message })] });
  await settled();
  expect(shownNotifications.map(({ body }) => body)).toEqual(['The key is [aws-key 1]. Column?']);
  expect(JSON.stringify(shownNotifications)).not.toContain('AKIA');
});

test('only the author is shown when the preview is late', async () => {
  const set = follow(true, ready());
  loadPreview.mockRejectedValueOnce(new Error('gone')).mockReturnValueOnce(new Promise(() => {}));
  set(ready('msg_1', 'msg_2'));
  await vi.advanceTimersByTimeAsync(3_000);
  const plain = { title: 'New message from Coder', body: '' };
  expect(shownNotifications).toMatchObject([plain, plain]);
});

test('a question on the screen is not notified', () => {
  const here = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1' } as const;
  expect(isOnScreen(here, 'chn_1')).toBe(true);
  expect(isOnScreen({ ...here, pane: { kind: 'thread', id: 'thr_1' } }, 'thr_1')).toBe(true);
  expect(isOnScreen({ view: 'needs-you' }, 'chn_1')).toBe(true);
  expect([isOnScreen(here, 'chn_2'), isOnScreen({ view: 'settings' }, 'chn_1')]).toEqual([false, false]);
});
