import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test } from 'vitest';
import { StoreContext } from '../../state/store_context';
import { anOpenQuestion, aRun, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { WorkRows } from './WorkRows';

afterEach(cleanup);

test('the first rows show and announce counts of questions, inbox items and runs', () => {
  const reading = [
    { conversation_id: 'chn_general', last_seq: 9, read_seq: 5, unread: 4, mentions: [8, 9] },
    { conversation_id: 'dm_1', last_seq: 3, read_seq: 0, unread: 3, mentions: [1] },
  ];
  const runs = [aRun(), aRun({ id: 'run_2', state: 'paused' })];
  const store = fakeStore({
    snapshot: () => aSnapshot({ reading, runs }),
    questions: () => ({ state: 'ready', items: [anOpenQuestion()], hasMore: false }),
  });
  render(() => (
    <StoreContext.Provider value={store}>
      <WorkRows />
    </StoreContext.Provider>
  ));
  const row = (name: string) => screen.getByRole('link', { name });
  expect(row('Needs you, 1 question').getAttribute('href')).toBe('#/needs-you');
  expect(row('Needs you, 1 question').querySelector('.badge')?.textContent).toBe('1');
  expect(row('Inbox, 5 to you')).toBeTruthy();
  expect(row('Runs, 1 running, 1 paused')).toBeTruthy();
});

test('without any they are plain', () => {
  render(() => (
    <StoreContext.Provider value={fakeStore()}>
      <WorkRows />
    </StoreContext.Provider>
  ));
  expect(screen.getAllByRole('link').map((one) => one.querySelector('.unseen')?.textContent)).toEqual([
    'Needs you',
    'Inbox',
    'Runs',
  ]);
});
