import { describe, expect, test } from 'vitest';
import type { Step } from '../../api/model';
import { activitySummary, boundedText, outcomeOf, SHOWN_CHARS_MAX, shortOutput, stepResult, stepState } from './steps';

const at = (ms: number) => new Date(Date.UTC(2026, 2, 2, 9) + ms).toISOString();
const step = (more: Partial<Step> = {}): Step => ({ id: 's1', name: 'rg', started_at: at(0), ...more });

describe('a step', () => {
  test.each<[Partial<Step>, boolean, string, string]>([
    [{}, true, 'running', 'running'],
    [{}, false, 'left', 'not finished'],
    [{ finished_at: at(1_800) }, true, 'done', '1.8 s'],
    [{ finished_at: at(1_800), output: { matches: 38 } }, true, 'done', '38 matches'],
    [{ finished_at: at(1_800), is_error: true }, false, 'failed', 'failed'],
    [{ finished_at: at(1_800), is_error: true, output: 'no such file' }, false, 'failed', 'no such file'],
  ])('%o, streaming %s, is %s: %s', (more, isStreaming, state, result) => {
    expect(stepState(step(more), isStreaming)).toBe(state);
    expect(stepResult(step(more), isStreaming)).toBe(result);
  });
});

test.each<[unknown, string | undefined]>([
  ['ok', 'ok'],
  ['one\ntwo\nthree', '3 lines'],
  ['a text that is far too long for the end of a line', 'a text that is far too long…'],
  ['  ', undefined],
  [7, '7'],
  [[1], '1 item'],
  [{ matches: 1 }, '1 match'],
  [{ files: ['a', 'b'] }, '2 files'],
  [{ summary: '212 lines' }, '212 lines'],
  [{ exit_code: 1 }, 'exit 1'],
  [{ anything: true }, undefined],
  [null, undefined],
])('the output %o is said as %s', (output, text) => {
  expect(shortOutput(output)).toBe(text);
});

describe('the summary', () => {
  const steps = [step({ finished_at: at(1_000) }), step({ id: 's2', started_at: at(900), finished_at: at(4_200) })];
  const usage = { model: 'm', output_tokens: 812, duration_ms: 5_000 };

  test('has steps, time and tokens', () => {
    expect(activitySummary(steps, usage)).toBe('2 steps · 5.0 s · 812 tokens');
  });
  test('has no time when none was reported: the steps are only a part of the answer', () => {
    expect(activitySummary(steps, undefined)).toBe('2 steps');
  });
  test('has only the steps when nothing else is known', () => {
    expect(activitySummary([step()], null)).toBe('1 step');
  });
});

test.each([
  ['complete', {}, 'done'],
  ['complete', { is_error: true }, 'failed'],
  ['failed', {}, 'failed'],
  ['cancelled', {}, 'left'],
  ['interrupted', {}, 'left'],
] as const)('an answer that is %s with the step %o has the outcome %s', (state, more, outcome) => {
  expect(outcomeOf(state, [step({ finished_at: at(1), ...more })])).toBe(outcome);
});

test('what is shown of an input is bounded', () => {
  expect(boundedText({ a: 1 })).toBe('{\n  "a": 1\n}');
  expect(boundedText('x'.repeat(SHOWN_CHARS_MAX + 5))).toMatch(/^x+\n… 5 more characters$/);
});
