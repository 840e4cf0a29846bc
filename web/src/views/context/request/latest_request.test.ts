import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../api/refusal';
import { createLatestRequest, type LatestRequestOptions, NEWS_EVERY_MS, NEWS_REST_MS, REST_MS } from './latest_request';

interface Input {
  readonly text: string;
  readonly newest: number;
}

const ask = vi.fn();
const stops: (() => void)[] = [];
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const asked = () => ask.mock.calls.map(([input]) => `${input.text} ${input.newest}`);

beforeEach(() => {
  vi.useFakeTimers();
  ask.mockReset().mockImplementation(async (input: Input) => `${input.text} ${input.newest}`);
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
});

function begin(options: LatestRequestOptions<Input> = {}) {
  return createRoot((dispose) => {
    stops.push(dispose);
    const [input, setInput] = createSignal<Input | undefined>({ text: 'a', newest: 1 });
    const isNews = (before: Input, now: Input) => before.text === now.text;
    const asking = createLatestRequest<Input, string>(input, ask, { isNews, ...options });
    return { asking, setInput };
  });
}

test('the first input is requested at once, later ones after a pause', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  expect(asking.answer()).toBe('a 1');
  setInput({ text: 'b', newest: 1 });
  setInput({ text: 'c', newest: 1 });
  await pass(REST_MS);
  expect(asked()).toEqual(['a 1', 'c 1']);
});

test('a result has its input and the time of the request', async () => {
  const { asking } = begin();
  const at = Date.now();
  await pass(0);
  expect(asking.answered()).toEqual({ input: { text: 'a', newest: 1 }, answer: 'a 1', at });
});

test('an answer about something else is out of sight at once, and so is its refusal', async () => {
  const [about, setAbout] = createSignal('#general');
  const { asking, setInput } = begin({ of: about });
  await pass(0);
  ask.mockRejectedValueOnce(new Refusal('PARLOUR-M06', 'too small'));
  setInput({ text: 'b', newest: 1 });
  await pass(REST_MS);
  expect([asking.answer(), asking.refusal()?.code]).toEqual(['a 1', 'PARLOUR-M06']);
  setAbout('#empty');
  expect([asking.answer(), asking.refusal()]).toEqual([undefined, undefined]);
  setInput({ text: 'c', newest: 1 });
  await pass(REST_MS);
  expect(asking.answer()).toBe('c 1');
});

test('what was asked about something else does not come into sight when it is late', async () => {
  const [about, setAbout] = createSignal('#general');
  let answerLate = (_: string) => {};
  ask.mockReturnValueOnce(new Promise((resolve) => (answerLate = resolve)));
  const { asking } = begin({ of: about });
  await pass(0);
  setAbout('#empty');
  answerLate('of #general');
  await pass(0);
  expect(asking.answer()).toBeUndefined();
});

test('news are asked about together after a while, and the answer says that it is old until then', async () => {
  const { asking, setInput } = begin();
  await pass(NEWS_EVERY_MS);
  asking.note();
  setInput({ text: 'a', newest: 2 });
  asking.note();
  expect([asking.isOutdated(), asking.isAsking()]).toEqual([true, false]);
  await pass(NEWS_REST_MS);
  expect(asked()).toEqual(['a 1', 'a 2']);
  expect([asking.isOutdated(), asking.answer()]).toEqual([false, 'a 2']);
});

test('however much happens, the hub is asked every few seconds and not more often', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  const seconds = 60;
  for (let at = 1; at <= 10 * seconds; at += 1) {
    setInput({ text: 'a', newest: at });
    asking.note();
    await pass(100);
  }
  const most = 1 + (seconds * 1_000) / NEWS_EVERY_MS;
  expect(ask.mock.calls.length).toBeGreaterThan(most - 3);
  expect(ask.mock.calls.length).toBeLessThanOrEqual(most);
});

test('news do not break off a request, and are asked about after it', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  let answerSlow = (_: string) => {};
  ask.mockImplementationOnce((_, stop: AbortSignal) => {
    stop.addEventListener('abort', () => expect.unreachable('a slow answer is waited for'));
    return new Promise((resolve) => (answerSlow = resolve));
  });
  asking.again();
  setInput({ text: 'a', newest: 2 });
  await pass(3 * NEWS_EVERY_MS);
  expect(asked()).toEqual(['a 1', 'a 1']);
  answerSlow('slow');
  await pass(0);
  expect([asking.answer(), asking.isOutdated()]).toEqual(['slow', true]);
  await pass(NEWS_REST_MS);
  expect([asking.answer(), asking.isOutdated()]).toEqual(['a 2', false]);
});

test('news while a choice rests are asked with it, once', async () => {
  const { setInput } = begin();
  await pass(NEWS_EVERY_MS);
  setInput({ text: 'b', newest: 1 });
  setInput({ text: 'b', newest: 2 });
  await pass(NEWS_EVERY_MS);
  expect(asked()).toEqual(['a 1', 'b 2']);
});

test('nobody who does not look is asked for, until they look again', async () => {
  const { asking } = begin();
  await pass(NEWS_EVERY_MS);
  const sight = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  asking.note();
  await pass(10 * NEWS_EVERY_MS);
  expect(ask).toHaveBeenCalledTimes(1);
  sight.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  await pass(0);
  expect(ask).toHaveBeenCalledTimes(2);
  sight.mockRestore();
});

test('an undefined input requests nothing, and the next one is requested at once', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  setInput(undefined);
  asking.again();
  asking.note();
  await pass(NEWS_EVERY_MS);
  expect(ask).toHaveBeenCalledTimes(1);
  setInput({ text: 'b', newest: 1 });
  await pass(0);
  expect(asking.answer()).toBe('b 1');
});
