import { expect, test } from 'vitest';
import {
  barText,
  countingText,
  leftOutText,
  levelText,
  reasonsText,
  redactionText,
  segmentsOf,
  tokenCountText,
} from './context_text';
import { cutAtMarks } from './receipt/redaction_marks';
import { BUDGETS, budgetAt, stopOf } from './request/budgets';
import { anItem, aReceipt } from './testing';

const marksOf = (text: string, kinds?: ReadonlySet<string>) =>
  cutAtMarks(text, kinds)
    .filter((piece) => piece.isMark)
    .map((piece) => piece.text);

test('a bar has a text with all sections that use tokens', () => {
  const receipt = aReceipt([
    anItem({ tokens: 40 }),
    anItem({ id: 'prj_1', type: 'project', section: 'project', tokens: 0 }),
  ]);
  expect(segmentsOf(receipt).map(({ tone }) => tone)).toEqual(['threads', 'frame']);
  expect(barText(receipt)).toBe('50 of 512 tokens: Threads and channels 40, Hub text 10');
});

test('a bar has the order of the text, which is not that of the sections', () => {
  const [conversation, threads] = [anItem({ section: 'history' }), anItem({ id: 'msg_2' })];
  const { sections, ...receipt } = aReceipt([conversation, threads]);
  const turned = { ...receipt, sections: sections.toReversed() };
  expect(segmentsOf(turned).map(({ tone }) => tone)).toEqual(['history', 'threads', 'frame']);
});

test('levels, reasons and why something is left out are words, also those of a newer hub', () => {
  expect(levelText('head_tail')).toBe('start and end');
  expect(reasonsText(['mention', 'unread'])).toBe('mentions it, unread');
  expect(leftOutText('no_room')).toBe('does not fit the budget');
  expect(leftOutText('too_new' as never)).toBe('too new');
  expect([1, 1024].map(tokenCountText)).toEqual(['1 token', `${(1024).toLocaleString()} tokens`]);
});

test('an upper bound is not called an exact count', () => {
  expect(countingText({ encoding: 'o200k', is_exact: true })).toContain('exactly');
  const bound = { encoding: 'bound', is_exact: false };
  expect(countingText(bound)).toMatch(/upper bound.*never higher/);
  expect(countingText(bound, { name: 'gpt4o' })).toMatch(/^The hub has no tokenizer for “gpt4o”.*upper bound/);
  expect(countingText(bound, { name: undefined })).toMatch(/^The model of the agent is unknown.*upper bound/);
});

test('redactions are counted by kind', () => {
  expect(redactionText({ redactions: [{ kind: 'email', count: 2 }], invisible: 1 })).toBe(
    'Redacted: 2 × email, 1 invisible character.',
  );
  expect(redactionText({})).toBe('');
});

test('marks are found, and no text between them is lost', () => {
  const text = '[email 1] wrote to [email 2]: see [1], [note], [Email 1] and [aws-key 12]';
  expect(marksOf(text)).toEqual(['[email 1]', '[email 2]', '[aws-key 12]']);
  expect(marksOf(text, new Set(['email']))).toEqual(['[email 1]', '[email 2]']);
  expect(marksOf(text, new Set())).toEqual([]);
  expect(
    cutAtMarks(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});

test('every stop of the slider is its own nearest, and budgets beyond it end at its ends', () => {
  BUDGETS.forEach((budget, stop) => {
    expect(stopOf(budget)).toBe(stop);
    expect(budgetAt(stop)).toBe(budget);
  });
  expect([BUDGETS[0], BUDGETS.at(-1)]).toEqual([64, 32768]);
  expect([stopOf(0), stopOf(1_000_000)]).toEqual([0, BUDGETS.length - 1]);
  expect([budgetAt(-1), budgetAt(99)]).toEqual([64, 32768]);
});
