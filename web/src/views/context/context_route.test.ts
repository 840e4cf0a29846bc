import { expect, test } from 'vitest';
import { hrefOf, parseRoute, type Route } from '../../platform/routes';
import { type ContextQuery, contextQuery, contextRoute, keepPane, locationOf, NO_CONVERSATION } from './context_route';

const general: Route = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' };
const message: Route = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_release', messageId: 'msg_1' };

/** Returns the query of a route after a round trip through the address bar. */
function queryOf(route: Route): ContextQuery | undefined {
  const back = parseRoute(hrefOf(route));
  return 'pane' in back && back.pane?.kind === 'context' ? contextQuery(back.pane.id) : undefined;
}

test('a query survives a round trip through the address', () => {
  const queries: ContextQuery[] = [
    { agentId: 'agt_coder' },
    { agentId: 'agt_coder', locationId: 'thr_1' },
    { agentId: 'agt_coder', budget: 256 },
    { agentId: 'agt_coder', format: 'pack' },
    { agentId: 'agt_coder', format: 'native' },
    { agentId: 'agt_coder', locationId: 'chn_1', budget: 64, model: 'a ?,&=#/%model\t+', format: 'injection' },
  ];
  for (const query of queries) expect(queryOf(contextRoute(general, query))).toEqual(query);
});

test('default options are not in the address', () => {
  const route = contextRoute(general, { agentId: 'agt_coder', budget: undefined, model: '', format: undefined });
  expect(hrefOf(route)).toBe('#/p/prj_1/c/chn_general?pane=context:agt_coder');
});

test('an address that makes no sense chooses nothing', () => {
  for (const chosen of [
    'budget=0',
    'budget=-5',
    'budget=1.5',
    'budget=many',
    'budget=1e99',
    'form=poem',
    'model=',
    '',
  ]) {
    expect(contextQuery(`agt_coder?${chosen}`)).toEqual({ agentId: 'agt_coder' });
  }
  expect(contextQuery(`agt_coder?model=${'m'.repeat(500)}`).model).toHaveLength(128);
});

test('a link out of the pane keeps the pane, what was chosen, and what it is about', () => {
  const chosen = { agentId: 'agt_coder', budget: 256, model: 'claude', format: 'injection' } as const;
  const followed = keepPane(contextRoute(general, chosen), message);
  expect(followed).toMatchObject(message);
  expect(queryOf(followed)).toEqual({ ...chosen, locationId: 'chn_general' });
  expect(queryOf(keepPane(followed, general))).toEqual({ ...chosen, locationId: 'chn_general' });
  const inThread = contextRoute(general, { agentId: 'agt_coder', locationId: 'thr_1' });
  expect(queryOf(keepPane(inThread, message))?.locationId).toBe('thr_1');
});

test('a link beside the page of an agent stays about no conversation', () => {
  const beside = contextRoute({ view: 'agent', id: 'agt_coder' }, { agentId: 'agt_coder' });
  const followed = keepPane(beside, message);
  expect(queryOf(followed)?.locationId).toBe(NO_CONVERSATION);
  expect(locationOf(followed, { agentId: 'agt_coder', locationId: NO_CONVERSATION })).toBeUndefined();
});

test('other panes are kept as they are, and where there is none there is none', () => {
  const run: Route = { ...general, pane: { kind: 'run', id: 'run_1' } };
  expect(keepPane(run, message)).toEqual({ ...message, pane: { kind: 'run', id: 'run_1' } });
  expect(keepPane(general, message)).toEqual(message);
});
