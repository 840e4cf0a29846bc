import { beforeEach, expect, test, vi } from 'vitest';
import { go, route, setPane } from './router';

const PLACE = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1' } as const;

beforeEach(() => go({ view: 'home' }, { replace: true }));

test('going somewhere changes route and address', () => {
  go(PLACE);
  expect(route()).toEqual(PLACE);
  expect(location.hash).toBe('#/p/prj_1/c/chn_1');
});

test('a change of the address, as by going back, changes the route', () => {
  go(PLACE);
  location.hash = '#/settings';
  dispatchEvent(new HashChangeEvent('hashchange'));
  expect(route()).toEqual({ view: 'settings' });
});

test('going to where one is leaves no entry in the history', () => {
  go(PLACE);
  const push = vi.spyOn(history, 'pushState');
  go(PLACE);
  expect(push).not.toHaveBeenCalled();
  push.mockRestore();
});

test('a replacement leaves no entry in the history', () => {
  const push = vi.spyOn(history, 'pushState');
  go({ view: 'search', query: 'e' }, { replace: true });
  expect(push).not.toHaveBeenCalled();
  expect(route()).toEqual({ view: 'search', query: 'e' });
  push.mockRestore();
});

test('the pane opens and closes beside what has room for it, and nowhere else', () => {
  setPane({ kind: 'details' });
  expect(route()).toEqual({ view: 'home' });
  go({ ...PLACE, messageId: 'msg_1' });
  setPane({ kind: 'details' });
  expect(route()).toEqual({ ...PLACE, messageId: 'msg_1', pane: { kind: 'details' } });
  setPane(undefined);
  expect(route()).toEqual({ ...PLACE, messageId: 'msg_1' });
  go({ view: 'runs' });
  setPane({ kind: 'run', id: 'run_1' });
  expect(route()).toEqual({ view: 'runs', pane: { kind: 'run', id: 'run_1' } });
});
