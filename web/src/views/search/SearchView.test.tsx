import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createMemo, Show } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Hit } from '../../api/model';
import { unreachable } from '../../api/refusal';
import { go, route } from '../../platform/router';
import { StoreContext } from '../../state/store_context';
import { aMessage, fakeStore } from '../../state/testing/fixtures';
import { rememberSearch } from './recent_searches';
import { SearchView } from './SearchView';

const PAUSE_MS = 250;
const search = vi.fn();
const hit = (id: string, snippet: string): Hit => ({ snippet, message: aMessage({ id, body: snippet }) });

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  search.mockReset().mockResolvedValue({ hits: [hit('msg_1', 'the <b>epoch</b>'), hit('msg_2', 'an epoch')] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The view as in the page: the address contains the query. */
function show(query: string) {
  go({ view: 'search', query }, { replace: true });
  const store = fakeStore({}, { search });
  render(() => {
    const here = createMemo(() => {
      const now = route();
      return now.view === 'search' ? now : undefined;
    });
    return (
      <StoreContext.Provider value={store}>
        <Show when={here()}>{(now) => <SearchView query={now().query} />}</Show>
      </StoreContext.Provider>
    );
  });
  return vi.advanceTimersByTimeAsync(0);
}

const field = () => screen.getByLabelText('Search messages') as HTMLInputElement;
const links = () => screen.queryAllByRole('link');
const type = (text: string) => fireEvent.input(field(), { target: { value: text } });
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

test('the query of the address is searched, and matches are marked', async () => {
  await show('epoch');
  expect(search).toHaveBeenCalledWith('epoch', undefined);
  expect(links()[0]?.querySelector('.hit-snippet')?.textContent).toBe('the <b>epoch</b>');
  expect(links()[0]?.querySelector('b b, .hit-snippet b')).toBeNull();
  expect(links()[0]?.querySelector('mark')?.textContent).toBe('epoch');
});

test('a result leads to its message', async () => {
  await show('epoch');
  expect(links()[0]?.getAttribute('href')).toBe('#/p/prj_1/c/chn_general/m/msg_1');
});

test('typing changes the address after a pause, without steps in the history', async () => {
  await show('');
  type('log');
  expect(route()).toEqual({ view: 'search', query: '' });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(route()).toEqual({ view: 'search', query: 'log' });
  expect(search).toHaveBeenCalledOnce();
});

test('an answer that comes too late is not shown', async () => {
  let answerFirst: (page: { hits: readonly Hit[] }) => void = () => {};
  search.mockReturnValueOnce(new Promise((resolve) => (answerFirst = resolve)));
  await show('first');
  go({ view: 'search', query: 'second' });
  await vi.advanceTimersByTimeAsync(0);
  answerFirst({ hits: [hit('msg_9', 'first')] });
  await vi.advanceTimersByTimeAsync(0);
  expect(links()).toHaveLength(2);
});

test('arrows go from the field through the results and back', async () => {
  await show('epoch');
  field().focus();
  press('ArrowDown');
  expect(document.activeElement).toBe(links()[0]);
  press('ArrowDown');
  press('ArrowDown');
  expect(document.activeElement).toBe(links()[1]);
  press('ArrowUp');
  press('ArrowUp');
  expect(document.activeElement).toBe(field());
});

test('the button loads the next page after the first', async () => {
  search.mockResolvedValueOnce({ hits: [hit('msg_1', 'one')], next: 'c1' });
  await show('epoch');
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(search).toHaveBeenLastCalledWith('epoch', 'c1');
  expect(links()).toHaveLength(3);
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('an empty page that is not the last is skipped', async () => {
  search.mockResolvedValueOnce({ hits: [], next: 'c1' });
  await show('epoch');
  expect(links()).toHaveLength(2);
});

test('no results are reported', async () => {
  search.mockResolvedValue({ hits: [] });
  await show('zzz');
  expect(screen.getByText('No messages match all of these words.')).toBeTruthy();
});

test('a failure is shown and can be retried', async () => {
  search.mockRejectedValueOnce(unreachable());
  await show('epoch');
  expect(screen.getByText(/The hub is not responding/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(links()).toHaveLength(2);
});

test('recent searches are listed and can be cleared', async () => {
  for (const query of ['old', 'newer', 'old']) rememberSearch(query);
  await show('');
  const offered = [...document.querySelectorAll('.recent-search')].map((one) => one.textContent);
  expect(offered).toEqual(['old', 'newer']);
  fireEvent.click(screen.getByRole('button', { name: 'Clear recent searches' }));
  expect(document.querySelector('.recent-search')).toBeNull();
  expect(localStorage.getItem('parlour.searches')).toBeNull();
});

test('at most eight searches are kept', () => {
  for (let index = 0; index < 20; index += 1) rememberSearch(`search ${index}`);
  expect(JSON.parse(localStorage.getItem('parlour.searches') ?? '[]')).toHaveLength(8);
});
