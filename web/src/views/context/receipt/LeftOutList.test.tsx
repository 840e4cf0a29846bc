import { fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Commands, ContextChange } from '../../../state/contract';
import { aMessage } from '../../../state/testing/fixtures';
import { aLeftOut, anItem, aPack } from '../testing';
import { loadContext, pane, showWith, unfold, useGeneral } from '../testing_pane';
import { LINES_STEP } from './LeftOutList';

useGeneral();

/** Decides which lines count as visible. */
let inSight = (_: Element) => true;
const loadPreview = vi.fn();

beforeEach(() => {
  inSight = () => true;
  loadPreview.mockReset().mockImplementation(async (id: string) => `words of ${id}`);
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(private readonly tell: (entries: { target: Element; isIntersecting: boolean }[]) => void) {}
      observe(target: Element) {
        this.tell([{ target, isIntersecting: inSight(target) }]);
      }
      unobserve() {}
      disconnect() {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

const many = (count: number) => Array.from({ length: count }, (_, no) => aLeftOut({ id: `msg_${no}`, seq: no }));
const lines = () => [...document.querySelectorAll('.context-item')];

async function showLeftOut(count: number, answers: Partial<Commands> = {}) {
  loadContext.mockResolvedValue(aPack(many(count)));
  await showWith({}, 'agt_coder', { loadPreview, ...answers });
}

test('left-out messages show a preview once they are visible', async () => {
  inSight = (line) => line.closest('.context-item')?.textContent?.includes('no. 1') ?? false;
  await showLeftOut(3);
  expect(loadPreview).not.toHaveBeenCalled();
  unfold();
  await vi.advanceTimersByTimeAsync(0);
  expect(loadPreview.mock.calls).toEqual([['msg_1']]);
  expect(lines().map((line) => line.querySelector('.context-preview')?.textContent)).toEqual([
    '',
    'words of msg_1',
    '',
  ]);
});

test('an unreadable preview leaves the line unchanged', async () => {
  loadPreview.mockRejectedValue(new Error('no such message'));
  await showLeftOut(1);
  unfold();
  await vi.advanceTimersByTimeAsync(0);
  expect(lines()[0]?.textContent).toContain('Mara in #general');
});

test('items that are not messages request no preview', async () => {
  loadContext.mockResolvedValue(aPack([aLeftOut({ type: 'agent', id: 'agt_reviewer' })]));
  await showWith({}, 'agt_coder', { loadPreview });
  unfold();
  await vi.advanceTimersByTimeAsync(0);
  expect(pane()).toContain('Reviewer');
  expect(loadPreview).not.toHaveBeenCalled();
});

test('a changed preview is loaded again, others are not', async () => {
  let tell = (_: ContextChange) => {};
  const followContext: Commands['followContext'] = async (_, onChange) => {
    tell = onChange;
  };
  await showLeftOut(2, { followContext });
  unfold();
  await vi.advanceTimersByTimeAsync(0);
  loadPreview.mockClear().mockResolvedValue('other words');
  tell({ event: { name: 'messaging.edited', data: aMessage({ id: 'msg_1' }) } as never });
  await vi.advanceTimersByTimeAsync(0);
  expect(loadPreview.mock.calls).toEqual([['msg_1']]);
  expect(lines()[1]?.textContent).toContain('other words');
});

test('hundreds are shown in steps, and the focus moves to the first new line', async () => {
  await showLeftOut(2 * LINES_STEP + 7);
  unfold();
  expect(lines()).toHaveLength(LINES_STEP);
  expect(pane()).toContain(`Does not fit the budget (${2 * LINES_STEP + 7})`);
  fireEvent.click(screen.getByRole('button', { name: `Show ${LINES_STEP} more of ${LINES_STEP + 7}` }));
  expect(lines()).toHaveLength(2 * LINES_STEP);
  expect(document.activeElement).toBe(lines()[LINES_STEP]?.querySelector('a'));
  fireEvent.click(screen.getByRole('button', { name: 'Show 7 more of 7' }));
  expect(lines()).toHaveLength(2 * LINES_STEP + 7);
  expect(document.activeElement).toBe(lines()[2 * LINES_STEP]?.querySelector('a'));
  expect(screen.queryByRole('button', { name: /^Show \d/ })).toBeNull();
});

test('a long conversation is shown from its end, and earlier lines when somebody wants them', async () => {
  const long = Array.from({ length: LINES_STEP + 3 }, (_, no) =>
    anItem({ id: `msg_${no}`, section: 'history', seq: no + 1 }),
  );
  loadContext.mockResolvedValue(aPack(long));
  await showWith({});
  expect(lines()).toHaveLength(LINES_STEP);
  expect(lines().at(-1)?.textContent).toContain(`no. ${LINES_STEP + 3}`);
  fireEvent.click(screen.getByRole('button', { name: 'Show 3 earlier of 3' }));
  expect(lines()).toHaveLength(LINES_STEP + 3);
  expect(document.activeElement).toBe(lines()[0]?.querySelector('a'));
});
