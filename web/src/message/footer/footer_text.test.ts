import { expect, test } from 'vitest';
import type { MentionProblem } from '../../api/model';
import { heldText, problemText, replaceMention } from './footer_text';

test('an agent that was held back is named with the rule', () => {
  expect(heldText({ agent_id: 'agt_1', name: 'Reviewer', rule: 'depth' })).toBe(
    'Reviewer was not called: too many agent replies without a person.',
  );
});

test.each<[MentionProblem['reason'], string]>([
  ['unknown', 'Nobody is called @Codr.'],
  ['ambiguous', 'Several members are called @Codr.'],
  ['not_in_conversation', '@Codr is not in this conversation and was not notified.'],
  ['wide', '@Codr called nobody.'],
])('a name that is %s is reported', (reason, text) => {
  expect(problemText({ name: 'Codr', reason, candidates: [] })).toBe(text);
});

test.each([
  ['@Codr look', '@Coder look'],
  ['hi @Codr, and @Codr!', 'hi @Coder, and @Coder!'],
  ['@Codric stays', '@Codric stays'],
  ['Codr stays', 'Codr stays'],
])('in %s the name is corrected: %s', (body, put) => {
  expect(replaceMention(body, 'Codr', 'Coder')).toBe(put);
});

test('special characters in a name are matched literally', () => {
  expect(replaceMention('@a.b and @axb', 'a.b', '$1')).toBe('@$1 and @axb');
});
