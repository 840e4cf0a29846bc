import { describe, expect, it, test } from 'vitest';
import type { Pause, Run } from '../../api/model';
import { aQuestionMessage, aRun } from '../../state/testing/fixtures';
import { excerpt, runAge, runStateText, tokensText } from './run_text';

const viewer = { readerId: 'per_mara', nameOf: (id: string) => ({ per_tobias: 'Tobias', per_mara: 'Mara' })[id] };
const pause = (more: Partial<Pause> = {}): Pause => ({
  reason: 'message',
  message_id: 'msg_ask',
  conversation_id: 'chn_general',
  from: { type: 'person', id: 'per_tobias', name: 'Tobias' },
  since: '2026-03-02T09:13:00.000Z',
  ...more,
});
const words = (more: Partial<Run>, question = aQuestionMessage()) => runStateText(aRun(more), question, viewer);

describe('the state of a run', () => {
  test.each<[string, Partial<Run>]>([
    ['running', { state: 'running' }],
    ['done', { state: 'done' }],
    ['failed', { state: 'failed' }],
    ['stopped', { state: 'cancelled' }],
    ['paused', { state: 'paused', pauses: [] }],
    ['paused by Tobias', { state: 'paused', pauses: [pause()] }],
    ['paused by Tobias and 1 more', { state: 'paused', pauses: [pause(), pause({ message_id: 'msg_2' })] }],
    ['waiting for you', { state: 'paused', pauses: [pause({ reason: 'asked' })] }],
  ])('%s', (expected, more) => expect(words(more)).toBe(expected));

  it('names the addressee, once the question is loaded', () => {
    const asked = { state: 'paused', pauses: [pause({ reason: 'asked' })] } as const;
    expect(words({ ...asked, pauses: [...asked.pauses] }, aQuestionMessage({ addressees: ['per_tobias'] }))).toBe(
      'waiting for Tobias',
    );
    expect(runStateText(aRun({ ...asked, pauses: [...asked.pauses] }), undefined, viewer)).toBe(
      'waiting for an answer',
    );
  });

  it('names the reader as "you"', () => {
    const mine = pause({ from: { type: 'person', id: 'per_mara', name: 'Mara' } });
    expect(words({ state: 'paused', pauses: [mine] })).toBe('paused by you');
  });
});

test('an open run counts whole seconds, and an ended one has its duration', () => {
  const now = Date.parse('2026-03-02T09:14:18.900Z');
  expect(runAge(aRun(), now)).toBe('2 min 18 s');
  expect(runAge(aRun({ state: 'done', finished_at: '2026-03-02T09:12:04.200Z' }), now)).toBe('4.2 s');
});

test('tokens are added up, and unknown ones are not shown', () => {
  expect(tokensText({ model: 'm', input_tokens: 640, output_tokens: 172 })).toBe('812 tokens');
  expect(tokensText(undefined)).toBe('');
});

test('an excerpt is one line, and whole characters', () => {
  expect(excerpt('a\n\n b')).toBe('a b');
  expect(excerpt('🦊🦊🦊🦊', 3)).toBe('🦊🦊…');
});
