import { expect, test } from 'vitest';
import { hrefOf, parseRoute, type Route } from '../../platform/routes';
import { type ContextQuery, contextQuery, contextRoute, keepPane, NOWHERE, placeOf } from './context_route';

const general: Route = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' };
const message: Route = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_release', messageId: 'msg_1' };

/** The aim of a route, after it went through the address bar. */
function aimOf(route: Route): ContextQuery | undefined {
  const back = parseRoute(hrefOf(route));
  return 'pane' in back && back.pane?.kind === 'context' ? contextQuery(back.pane.id) : undefined;
}

test('everything that is wished for stands in the address and is read back from it', () => {
  const aims: ContextQuery[] = [
    { agentId: 'agt_coder' },
    { agentId: 'agt_coder', placeId: 'thr_1' },
    { agentId: 'agt_coder', budget: 256 },
    { agentId: 'agt_coder', format: 'pack' },
    { agentId: 'agt_coder', format: 'native' },
    { agentId: 'agt_coder', placeId: 'chn_1', budget: 64, model: 'a ?,&=#/%model\t+', format: 'injection' },
  ];
  for (const query of aims) expect(aimOf(contextRoute(general, query))).toEqual(query);
});

test('what is as the agent has it is not in the address', () => {
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
  expect(aimOf(followed)).toEqual({ ...chosen, placeId: 'chn_general' });
  expect(aimOf(keepPane(followed, general))).toEqual({ ...chosen, placeId: 'chn_general' });
  const inThread = contextRoute(general, { agentId: 'agt_coder', placeId: 'thr_1' });
  expect(aimOf(keepPane(inThread, message))?.placeId).toBe('thr_1');
});

test('a link beside the page of an agent stays about no conversation', () => {
  const beside = contextRoute({ view: 'agent', id: 'agt_coder' }, { agentId: 'agt_coder' });
  const followed = keepPane(beside, message);
  expect(aimOf(followed)?.placeId).toBe(NOWHERE);
  expect(placeOf(followed, { agentId: 'agt_coder', placeId: NOWHERE })).toBeUndefined();
});

test('other panes are kept as they are, and where there is none there is none', () => {
  const run: Route = { ...general, pane: { kind: 'run', id: 'run_1' } };
  expect(keepPane(run, message)).toEqual({ ...message, pane: { kind: 'run', id: 'run_1' } });
  expect(keepPane(general, message)).toEqual(message);
});
