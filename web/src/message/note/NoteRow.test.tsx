import { fireEvent } from '@solidjs/testing-library';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { aMessage } from '../../state/testing/fixtures';
import { anAnswer, renderRow } from '../testing';

const host = (more: Partial<Message> = {}): Message =>
  aMessage({ from: { type: 'host', name: 'Parlour' }, kind: 'host', body: 'Hub restarted.', ...more });
const guard = (what: string) => ({ loop_guard: { what, rule: 'depth', agents: [] } });

test('a host message is labelled as not visible to models', () => {
  const { article, getByLabelText } = renderRow({ message: host() });
  getByLabelText('From the hub');
  expect(article.querySelector('.message-note')?.textContent).toContain('Not visible to models.');
});

test('an imported note shows its source', () => {
  const from = { type: 'host', id: 'pynchy:host', name: 'host' } as const;
  const { getByText, queryByLabelText } = renderRow({ message: host({ from }) });
  expect(getByText('from pynchy').title).toBe('Imported from pynchy');
  expect(queryByLabelText('From the hub')).toBeNull();
});

test('context for models has no "not visible to models" label', () => {
  const message = aMessage({ from: { type: 'system', name: 'Parlour' }, kind: 'system', body: 'Be brief.' });
  const { queryByText } = renderRow({ message });
  expect(queryByText('Not visible to models.')).toBeNull();
});

describe('a stop of the loop guard', () => {
  const stop = host({ content: guard('tripped') });

  test('is reset by a click', () => {
    const { getByText, store } = renderRow({ message: stop });
    fireEvent.click(getByText('Reset the loop guard'));
    expect(store.asked).toEqual([{ name: 'resetLoopGuard', with: ['chn_general'] }]);
  });

  test.each<[string, Message, boolean]>([
    ['an agent spoke', anAnswer({ id: 'msg_2' }), true],
    ['a person spoke', aMessage({ id: 'msg_2' }), false],
    ['it stopped them again', host({ id: 'msg_2', content: guard('tripped') }), false],
    ['somebody lifted it', host({ id: 'msg_2', content: guard('reset') }), false],
  ])('after %s, the button is shown: %#', (_, later, stands) => {
    const { queryByText } = renderRow({ message: stop, others: [later] });
    expect(queryByText('Reset the loop guard') !== null).toBe(stands);
  });
});

test('the output of a tool opens by a click', () => {
  const from = { type: 'tool', id: 'cargo', name: 'cargo' } as const;
  const content = { name: 'cargo test resume', passed: 13, failed: 1, duration_ms: 1_800 };
  const { article, getByRole } = renderRow({
    message: aMessage({ from, kind: 'tool_result', content, body: 'FAILED' }),
  });
  const line = getByRole('button', { name: /cargo test resume/ });
  expect(line.textContent).toBe('🔧cargo test resume1.8 s❌ 1 of 14 failed');
  expect(article.querySelector('.markdown')).toBeNull();
  fireEvent.click(line);
  expect(line.getAttribute('aria-expanded')).toBe('true');
  expect(article.querySelector('.markdown')?.textContent).toContain('FAILED');
});
