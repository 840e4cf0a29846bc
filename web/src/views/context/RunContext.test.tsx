import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../api/refusal';
import { renderWith } from '../../shell/testing';
import { aRun, fakeStore } from '../../state/testing/fixtures';
import { RunContext } from './RunContext';
import { anInjection, anItem } from './testing';

const run = aRun({ id: 'run_7k2f', started_at: '2026-03-02T09:12:00.000Z' });
const earlier = aRun({ id: 'run_aaaa', started_at: '2026-03-01T09:12:00.000Z' });
const later = aRun({ id: 'run_bbbb', started_at: '2026-03-03T09:12:00.000Z' });
const answers = { loadInjections: vi.fn(), listRuns: vi.fn(), compareRuns: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers();
  answers.loadInjections.mockReset().mockResolvedValue({ items: [anInjection([anItem()])] });
  answers.listRuns.mockReset().mockResolvedValue({ items: [later, run, earlier] });
  answers.compareRuns.mockReset().mockResolvedValue({ only_before: [], only_after: [], changed: [], same: 3 });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const soon = () => vi.advanceTimersByTimeAsync(0);
async function show() {
  renderWith(fakeStore({}, answers), () => <RunContext run={run} />);
  await soon();
}
const section = () => document.querySelector('.run-section')?.textContent ?? '';

async function open(words: string) {
  const fold = screen.getByText(words).closest('details');
  if (!fold) throw new Error(`nothing to open at ${words}`);
  fold.open = true;
  fireEvent(fold, new Event('toggle'));
  await soon();
  return fold;
}

async function compareWith(id: string) {
  await open('Compare with…');
  fireEvent.change(screen.getByRole('combobox', { name: 'Another run of the agent' }), { target: { value: id } });
  await soon();
}

test('each injection shows delivery path and tokens, and opens to its items', async () => {
  await show();
  expect(answers.loadInjections).toHaveBeenCalledExactlyOnceWith('run_7k2f', undefined);
  expect(section()).toContain('By its hook');
  expect(section()).toContain('22 of 512 tokens');
  expect(document.querySelector('.context-item')).toBeNull();
  await open('By its hook');
  expect(document.querySelector('.context-item')?.textContent).toContain('find the cause');
  expect(screen.getByRole('heading', { name: /Threads and channels/, level: 4 })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Copy the text' })).toBeTruthy();
});

test('a hidden text is reported with the reason', async () => {
  answers.loadInjections.mockResolvedValue({ items: [anInjection([anItem()], { text: null })] });
  await show();
  await open('By its hook');
  expect(section()).toContain('The text is hidden: it contains a message that you cannot read');
  expect(screen.queryByRole('button', { name: 'Copy the text' })).toBeNull();
});

test('a run without injections reports that, and cannot be compared', async () => {
  answers.loadInjections.mockResolvedValue({ items: [] });
  await show();
  expect(section()).toContain('The hub has stored no context for this run.');
  expect(screen.queryByText('Compare with…')).toBeNull();
});

test('other runs of the agent are loaded on request, and the older one is the earlier run', async () => {
  await show();
  expect(answers.listRuns).not.toHaveBeenCalled();
  await compareWith('run_aaaa');
  const options = [...document.querySelectorAll('option')].map((one) => one.value);
  expect(options).toEqual(['', 'run_bbbb', 'run_aaaa']);
  expect(answers.compareRuns).toHaveBeenCalledExactlyOnceWith('run_aaaa', 'run_7k2f');
  expect(section()).toContain('3 items are the same in both runs.');
  cleanup();
  await show();
  await compareWith('run_bbbb');
  expect(answers.compareRuns).toHaveBeenLastCalledWith('run_7k2f', 'run_bbbb');
});

test('a comparison lists items of one run only, and both texts of changed items', async () => {
  answers.compareRuns.mockResolvedValue({
    only_before: [anItem({ text: 'the old cause' })],
    only_after: [anItem({ text: 'the new cause' }), anItem({ id: 'msg_2' })],
    changed: [[anItem({ text: 'a long story' }), anItem({ level: 'one_line', text: 'a story' })]],
    same: 1,
  });
  await show();
  await compareWith('run_aaaa');
  const parts = [...document.querySelectorAll('.context-part')].map((one) => one.textContent ?? '');
  expect(parts).toHaveLength(3);
  expect(parts[0]).toMatch(/^Only in run aaaa, the earlier run \(1\).*the old cause/);
  expect(parts[1]).toMatch(/^Only in run 7k2f, the later run \(2\).*the new cause/);
  expect(parts[2]).toMatch(/Earlier run: in fulla long storyLater run: one linea story/);
  expect(section()).toContain('One item is the same in both runs.');
});

test('a difference that is refused says why', async () => {
  answers.compareRuns.mockRejectedValue(new Refusal('PARLOUR-N01', 'There is no such run.'));
  await show();
  await compareWith('run_aaaa');
  expect(section()).toContain('There is no such run. (PARLOUR-N01)');
});
