import { expect, it } from 'vitest';
import type { Presence } from '../../api/model';
import { deferred } from '../testing/tools';
import { PresenceState } from './presence';

const here = (member_id: string, state: Presence['state'] = 'idle') => ({ member_id, state }) as Presence;
const changes = (present: Presence[], gone: string[] = [], is_partial = false) => {
  return { present, gone, count: 0, is_partial, project_id: 'prj_1' };
};
const none = () => Promise.reject(new Error('not asked'));
const states = (book: PresenceState) => [...book.all().values()].map((one) => `${one.member_id} ${one.state}`);

it('members that connect, change and disconnect are tracked', async () => {
  const book = new PresenceState();
  book.set([here('per_1'), here('agt_1')]);
  await book.take(changes([here('agt_1', 'working'), here('per_2')], ['per_1']), none);
  expect(states(book)).toEqual(['agt_1 working', 'per_2 idle']);
});

it('the list is loaded again when the changes are partial', async () => {
  const book = new PresenceState();
  await book.take(changes([here('per_1')], [], true), async () => [here('per_9')]);
  expect(states(book)).toEqual(['per_9 idle']);
});

it('a list that is older than the newest change is ignored', async () => {
  const book = new PresenceState();
  const list = deferred<Presence[]>();
  const reading = book.readAgain(() => list.promise);
  await book.take(changes([here('per_2')]), none);
  list.resolve([here('per_1')]);
  await reading;
  expect(states(book)).toEqual(['per_2 idle']);
  await book.readAgain(none);
  expect(states(book)).toEqual(['per_2 idle']);
});
