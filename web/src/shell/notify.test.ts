import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { notifications, type Wish } from '../platform/notifications';
import type { Questions } from '../state/contract';
import { anOpenQuestion, aQuestionMessage, fakeStore } from '../state/testing';
import { isInSight, notifyOfQuestions } from './notify';

let told: Wish[];
let end: () => void;
beforeEach(() => {
  told = [];
  vi.spyOn(notifications, 'show').mockImplementation((wish) => void told.push(wish));
});
afterEach(() => {
  end();
  vi.restoreAllMocks();
});

const one = (id: string) => anOpenQuestion({ message: aQuestionMessage({}, { id }) });

function follow(notify: boolean, first: Questions) {
  const [questions, setQuestions] = createSignal(first);
  const preferences = { ...fakeStore().preferences(), notify };
  end = createRoot((dispose) => {
    notifyOfQuestions(fakeStore({ questions, preferences: () => preferences }));
    return dispose;
  });
  return setQuestions;
}
const ready = (...ids: string[]): Questions => ({ state: 'ready', items: ids.map(one), hasMore: false });

test('only what comes later is told, each once, with the way to it', () => {
  const set = follow(true, { state: 'loading', items: [], hasMore: false });
  set(ready('msg_1'));
  set(ready('msg_1', 'msg_2'));
  set(ready('msg_2'));
  set(ready('msg_1', 'msg_2'));
  expect(told.map((wish) => [wish.tag, wish.title])).toEqual([['msg_2', 'Coder asks you in #general']]);
  told[0]?.onClick();
  expect(location.hash).toBe('#/p/prj_1/c/chn_general/m/msg_2');
});

test('nothing is told to who does not want it', () => {
  const set = follow(false, ready());
  set(ready('msg_1'));
  expect(told).toEqual([]);
});

test('what is before the eyes of the reader is in sight', () => {
  const here = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1' } as const;
  expect(isInSight(here, 'chn_1')).toBe(true);
  expect(isInSight({ ...here, pane: { kind: 'thread', id: 'thr_1' } }, 'thr_1')).toBe(true);
  expect(isInSight({ view: 'needs-you' }, 'chn_1')).toBe(true);
  expect([isInSight(here, 'chn_2'), isInSight({ view: 'settings' }, 'chn_1')]).toEqual([false, false]);
});
