import { expect, test } from 'vitest';
import type { Author, Question } from '../../api/model';
import { aQuestion, aQuestionMessage } from '../../state/testing/fixtures';
import { answerText, choicesOf, editableText } from './choices';
import { asksText, namesText, outcomeOf, type Viewer } from './question_text';

const NAMES = new Map([
  ['per_tobias', 'Tobias'],
  ['agt_coder', 'Coder'],
  ['agt_reviewer', 'Reviewer'],
]);
const mara: Viewer = { readerId: 'per_mara', nameOf: (id) => NAMES.get(id) };
const tobias: Author = { type: 'person', id: 'per_tobias', name: 'Tobias' };

test('the title depends on the reader', () => {
  const message = aQuestionMessage();
  const text = (question: Partial<Question>, from = message.from) =>
    asksText({ ...message, from }, aQuestion(question), mara);
  expect(text({})).toBe('Coder asks you, and waits');
  expect(text({ addressees: ['per_tobias', 'per_mara'] })).toBe('Coder asks you and Tobias, and waits');
  expect(text({ addressees: ['per_tobias'], state: 'answered' })).toBe('Coder asked Tobias');
  const me: Author = { type: 'person', id: 'per_mara', name: 'Mara' };
  expect(text({ addressees: ['agt_coder'] }, me)).toBe('You ask Coder, and wait');
  expect(text({ addressees: ['agt_coder'], state: 'expired' }, me)).toBe('You asked Coder');
});

test('names that are not known, or too many, are counted', () => {
  expect(namesText(['per_mara', 'per_1', 'per_2'], mara)).toBe('you and 2 more');
  expect(namesText(['agt_coder', 'agt_reviewer', 'per_tobias', 'per_mara'], mara)).toBe(
    'you, Coder, Reviewer and 1 more',
  );
  expect([namesText(['per_1'], mara), namesText(['per_1', 'per_2'], mara)]).toEqual(['somebody', '2 members']);
});

test.each<[string, Partial<Question>, object | undefined]>([
  ['an open one', {}, undefined],
  [
    'an answered one',
    { state: 'answered', answer: { option: 'column' }, closed_by: tobias },
    { title: 'Tobias answered', answer: 'Add a column' },
  ],
  [
    'one that was answered in a message',
    { state: 'answered', answer: { message_id: 'msg_2' }, closed_by: tobias },
    { title: 'Tobias answered' },
  ],
  [
    'an expired one with a default',
    { state: 'expired', answer: { option: 'keep', is_default: true } },
    { title: 'Default answer used', answer: 'Keep in memory', why: 'Nobody answered in time.' },
  ],
  ['an expired one without', { state: 'expired' }, { title: 'Expired', why: 'Nobody answered in time.' }],
  [
    'an ignored one',
    { state: 'ignored', ignored_by: ['per_mara', 'per_tobias'] },
    { title: 'Ignored', why: 'You and Tobias ignored it.' },
  ],
  [
    'an unanswered one',
    { state: 'unanswered', unanswered_by: ['agt_coder'] },
    { title: 'Not answered', why: 'Coder went on without an answer.' },
  ],
  [
    'an unanswered one with a default',
    {
      state: 'unanswered',
      unanswered_by: ['per_tobias'],
      answer: { option: 'keep', is_default: true },
    },
    { title: 'Default answer used', answer: 'Keep in memory', why: 'Tobias went on without an answer.' },
  ],
  ['a withdrawn one', { state: 'withdrawn', closed_by: tobias }, { title: 'Tobias withdrew it' }],
])('the outcome of %s is shown', (_, question, ending) => {
  expect(outcomeOf(aQuestion(question), mara)).toEqual(ending);
});

test('without options the default is what one click gives', () => {
  const question = aQuestion({
    options: [],
    default: { ok: true },
    schema: { type: 'object' } as object as Question['schema'],
  });
  expect(choicesOf(question)).toEqual([{ label: '{"ok":true}', give: { value: { ok: true } }, isDefault: true }]);
  expect(editableText(question)).toBe('{\n  "ok": true\n}');
  expect(choicesOf(aQuestion({ options: [], default: null }))).toEqual([]);
});

test('an answer is shown by the label of its option, as a value, or as what was written', () => {
  const question = aQuestion();
  expect(answerText(question, { option: 'keep' })).toBe('Keep in memory');
  expect(answerText(question, { value: 3 })).toBe('3');
  expect(answerText(question, { text: 'Neither.' })).toBe('Neither.');
  expect(answerText(question, { message_id: 'msg_2' })).toBeUndefined();
});
