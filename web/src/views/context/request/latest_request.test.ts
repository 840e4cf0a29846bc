import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../api/refusal';
import {
  createLatestRequest,
  EVENT_DEBOUNCE_MS,
  EVENT_REQUEST_INTERVAL_MS,
  INPUT_DEBOUNCE_MS,
  type LatestRequestOptions,
} from './latest_request';

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
  await pass(INPUT_DEBOUNCE_MS);
  expect(asked()).toEqual(['a 1', 'c 1']);
});

test('a result has its input and the time of the request', async () => {
  const { asking } = begin();
  const at = Date.now();
  await pass(0);
  expect(asking.answered()).toEqual({ input: { text: 'a', newest: 1 }, answer: 'a 1', at });
});

test('the result of another subject is hidden at once, and so is its refusal', async () => {
  const [about, setAbout] = createSignal('#general');
  const { asking, setInput } = begin({ of: about });
  await pass(0);
  ask.mockRejectedValueOnce(new Refusal('PARLOUR-M06', 'too small'));
  setInput({ text: 'b', newest: 1 });
  await pass(INPUT_DEBOUNCE_MS);
  expect([asking.answer(), asking.refusal()?.code]).toEqual(['a 1', 'PARLOUR-M06']);
  setAbout('#empty');
  expect([asking.answer(), asking.refusal()]).toEqual([undefined, undefined]);
  setInput({ text: 'c', newest: 1 });
  await pass(INPUT_DEBOUNCE_MS);
  expect(asking.answer()).toBe('c 1');
});

test('a late result of another subject is not shown', async () => {
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

test('events cause one request after a pause, and the result is outdated until then', async () => {
  const { asking, setInput } = begin();
  await pass(EVENT_REQUEST_INTERVAL_MS);
  asking.note();
  setInput({ text: 'a', newest: 2 });
  asking.note();
  expect([asking.isOutdated(), asking.isAsking()]).toEqual([true, false]);
  await pass(EVENT_DEBOUNCE_MS);
  expect(asked()).toEqual(['a 1', 'a 2']);
  expect([asking.isOutdated(), asking.answer()]).toEqual([false, 'a 2']);
});

test('many events cause at most one request per interval', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  const seconds = 60;
  for (let at = 1; at <= 10 * seconds; at += 1) {
    setInput({ text: 'a', newest: at });
    asking.note();
    await pass(100);
  }
  const most = 1 + (seconds * 1_000) / EVENT_REQUEST_INTERVAL_MS;
  expect(ask.mock.calls.length).toBeGreaterThan(most - 3);
  expect(ask.mock.calls.length).toBeLessThanOrEqual(most);
});

test('events do not abort a request, and cause another one after it', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  let answerSlow = (_: string) => {};
  ask.mockImplementationOnce((_, stop: AbortSignal) => {
    stop.addEventListener('abort', () => expect.unreachable('a slow answer is waited for'));
    return new Promise((resolve) => (answerSlow = resolve));
  });
  asking.again();
  setInput({ text: 'a', newest: 2 });
  await pass(3 * EVENT_REQUEST_INTERVAL_MS);
  expect(asked()).toEqual(['a 1', 'a 1']);
  answerSlow('slow');
  await pass(0);
  expect([asking.answer(), asking.isOutdated()]).toEqual(['slow', true]);
  await pass(EVENT_DEBOUNCE_MS);
  expect([asking.answer(), asking.isOutdated()]).toEqual(['a 2', false]);
});

test('events during an input pause are included in its request', async () => {
  const { setInput } = begin();
  await pass(EVENT_REQUEST_INTERVAL_MS);
  setInput({ text: 'b', newest: 1 });
  setInput({ text: 'b', newest: 2 });
  await pass(EVENT_REQUEST_INTERVAL_MS);
  expect(asked()).toEqual(['a 1', 'b 2']);
});

test('a hidden page requests nothing until it is visible again', async () => {
  const { asking } = begin();
  await pass(EVENT_REQUEST_INTERVAL_MS);
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  asking.note();
  await pass(10 * EVENT_REQUEST_INTERVAL_MS);
  expect(ask).toHaveBeenCalledTimes(1);
  visibility.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  await pass(0);
  expect(ask).toHaveBeenCalledTimes(2);
  visibility.mockRestore();
});

test('an undefined input requests nothing, and the next one is requested at once', async () => {
  const { asking, setInput } = begin();
  await pass(0);
  setInput(undefined);
  asking.again();
  asking.note();
  await pass(EVENT_REQUEST_INTERVAL_MS);
  expect(ask).toHaveBeenCalledTimes(1);
  setInput({ text: 'b', newest: 1 });
  await pass(0);
  expect(asking.answer()).toBe('b 1');
});
