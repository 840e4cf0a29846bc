import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  performance.clearMarks();
});
afterEach(() => vi.useRealTimers());

async function waiting() {
  const { markReady, whenReady } = await import('./ready');
  const settled = vi.fn();
  void whenReady().then(settled);
  return { markReady, settled };
}

test('waiting resolves when the first conversation is shown', async () => {
  const { markReady, settled } = await waiting();
  await vi.advanceTimersByTimeAsync(100);
  expect(settled).not.toHaveBeenCalled();
  markReady();
  await vi.advanceTimersByTimeAsync(0);
  expect(settled).toHaveBeenCalledOnce();
});

test('without a conversation the wait ends', async () => {
  const { settled } = await waiting();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(settled).toHaveBeenCalledOnce();
});

test('the page is ready once', async () => {
  const { markReady } = await waiting();
  markReady();
  markReady();
  expect(performance.getEntriesByName('ready')).toHaveLength(1);
});
