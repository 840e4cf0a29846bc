import { fireEvent } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../api/refusal';
import { EMPTY_DRAFT } from '../../state/contract';
import { anOutgoing, renderOutgoing } from '../testing';
import { wideText } from './NotSent';

const draft = { ...EMPTY_DRAFT, text: 'Hello' };
const refused = (refusal: Refusal) => anOutgoing({ status: { state: 'refused', refusal } });

describe('a refused message', () => {
  const outgoing = refused(new Refusal('PARLOUR-V01', 'The text is too long.'));

  test('shows the reason with the code', () => {
    const { getByRole } = renderOutgoing(outgoing);
    expect(getByRole('alert').textContent).toContain('Not sent: The text is too long. (PARLOUR-V01)');
  });

  test('can be tried again as it is', () => {
    const { getByText, store } = renderOutgoing(outgoing);
    fireEvent.click(getByText('Retry'));
    expect(store.asked).toEqual([{ name: 'retry', with: ['msg_1'] }]);
  });

  test('goes back into the composer above the current draft', () => {
    const { getByText, store } = renderOutgoing(outgoing, { answers: { discard: () => draft } });
    store.commands.setDraft('chn_general', { ...EMPTY_DRAFT, text: 'More' });
    fireEvent.click(getByText('Edit'));
    expect(store.draft('chn_general').text).toBe('Hello\n\nMore');
  });

  test('can be discarded', () => {
    const { getByText, asked } = renderOutgoing(outgoing);
    fireEvent.click(getByText('Discard'));
    expect(asked()).toEqual(['discard']);
  });
});

describe('a wide mention', () => {
  const names = ['Coder', 'Reviewer', 'Planner', 'Scout', 'Guide', 'Mara'];
  const refusal = new Refusal('PARLOUR-M03', 'The mention would call many agents.', { candidates: names });

  test('names whom it would call', () => {
    expect(wideText(refusal)).toBe(
      'This would call 6 members at once: Coder, Reviewer, Planner, Scout, Guide and 1 more.',
    );
    expect(wideText(new Refusal('PARLOUR-M03', 'Many.'))).toBe('Many.');
  });

  test('is sent after a confirmation', () => {
    const { getByText, store } = renderOutgoing(refused(refusal));
    fireEvent.click(getByText('Send anyway'));
    expect(store.asked).toEqual([{ name: 'retry', with: ['msg_1', { confirmWide: true }] }]);
  });
});

describe('an outgoing message', () => {
  const AT = Date.parse('2026-03-02T09:12:00.000Z');
  beforeEach(() => void vi.useFakeTimers({ now: AT }));
  afterEach(() => void vi.useRealTimers());

  test('is shown after two seconds, in the place of the time', () => {
    const { article } = renderOutgoing(anOutgoing({ at: AT }));
    expect(article.querySelector('.message-sending')).toBeNull();
    vi.advanceTimersByTime(2_000);
    expect(article.querySelector('.message-head .message-sending')?.textContent).toBe('Sending…');
  });

  test('waits for the connection', () => {
    const { article } = renderOutgoing(anOutgoing({ at: AT }), { store: { connection: () => ({ state: 'offline' }) } });
    expect(article.querySelector('.message-sending')?.textContent).toBe('Waiting for connection');
  });

  test('shows an icon when it shares a header', () => {
    const connection = () => ({ state: 'offline' }) as const;
    const { getByLabelText } = renderOutgoing(anOutgoing({ at: AT }), { store: { connection }, isContinued: true });
    expect(getByLabelText('Waiting for connection').textContent).not.toContain('Waiting');
  });
});
