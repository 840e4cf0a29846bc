import { expect, test } from 'vitest';
import { hrefOf, type Pane, parseRoute, type Route } from './routes';

/** Characters with and without a meaning in URLs. */
const LETTERS = [...'aZ09_-#/?&=+%: .ö日🦊"<>\\'];

/** Deterministic random numbers. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

function aRoute(roll: (sides: number) => number): Route {
  const word = () => Array.from({ length: 1 + roll(8) }, () => LETTERS[roll(LETTERS.length)]).join('');
  const panes: readonly (Pane | undefined)[] = [
    undefined,
    { kind: 'details' },
    { kind: 'thread', id: word() },
    { kind: 'member', id: word() },
    { kind: 'run', id: word() },
    { kind: 'task', id: word() },
    { kind: 'context', id: word() },
  ];
  const pane = panes[roll(panes.length)];
  const place = { view: 'conversation', projectId: word(), conversationId: word() } as const;
  const routes: readonly Route[] = [
    { view: 'home' },
    { view: 'project', projectId: word() },
    { view: 'settings' },
    { view: 'search', query: roll(4) === 0 ? '' : word() },
    { ...place, ...(roll(2) ? { messageId: word() } : {}), ...(pane ? { pane } : {}) },
    { view: 'needs-you', ...(pane ? { pane } : {}) },
    { view: 'inbox', ...(pane ? { pane } : {}) },
    { view: 'runs', ...(pane ? { pane } : {}) },
    { view: 'agent', id: word(), ...(pane ? { pane } : {}) },
  ];
  return routes[roll(12)] ?? routes[4] ?? { view: 'home' };
}

test('every route is read back from its address', () => {
  for (let seed = 0; seed < 2_000; seed += 1) {
    const route = aRoute(dice(seed));
    expect(parseRoute(hrefOf(route)), hrefOf(route)).toEqual(route);
  }
});

test('addresses look as they are documented', () => {
  const place = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_1' } as const;
  expect(hrefOf({ ...place, messageId: 'msg_1', pane: { kind: 'thread', id: 'thr_1' } })).toBe(
    '#/p/prj_1/c/chn_1/m/msg_1?pane=thread:thr_1',
  );
  expect(hrefOf({ view: 'agent', id: 'agt_1', pane: { kind: 'context', id: 'agt_1' } })).toBe(
    '#/agents/agt_1?pane=context:agt_1',
  );
  expect(hrefOf({ view: 'search', query: 'epoch & log' })).toBe('#/search?q=epoch%20%26%20log');
});

test.each(['', '#', '#/', '#/p', '#/p/', '#/nowhere', '#/x/prj_1/c/chn_1', '#/%E0%A4%A'])(
  'an unreadable address is the home route: %s',
  (hash) => expect(parseRoute(hash)).toEqual({ view: 'home' }),
);

test('views over a project have addresses of their own', () => {
  expect(hrefOf({ view: 'runs', pane: { kind: 'run', id: 'run_1' } })).toBe('#/runs?pane=run:run_1');
  expect(hrefOf({ view: 'agent', id: 'agt_1' })).toBe('#/agents/agt_1');
  expect(parseRoute('#/agents')).toEqual({ view: 'home' });
});

test('an unreadable pane is ignored', () => {
  for (const pane of ['', 'thread', 'thread:', 'other:1']) {
    expect(parseRoute(`#/p/a/c/b?pane=${pane}`)).toEqual({ view: 'conversation', projectId: 'a', conversationId: 'b' });
  }
});

test('a project whose conversation cannot be read is still that project', () => {
  expect(parseRoute('#/p/prj_1/c')).toEqual({ view: 'project', projectId: 'prj_1' });
});
