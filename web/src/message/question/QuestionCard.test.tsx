import { cleanup, fireEvent, render, screen, waitFor } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message, Question } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { Toasts } from '../../parts/toast/Toast';
import { type Commands, EMPTY_DRAFT, type Store } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { aQuestionMessage, aRun, fakeStore } from '../../state/testing/fixtures';
import { QuestionCard } from './QuestionCard';

const NOW = Date.parse('2026-03-02T09:12:18.000Z');

beforeEach(() => vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show(
  question: Partial<Question> = {},
  options: { from?: Message['from']; store?: Partial<Store>; answers?: Partial<Commands> } = {},
) {
  const store = fakeStore(options.store, options.answers);
  const first = aQuestionMessage(question, options.from ? { from: options.from } : {});
  const [message, setMessage] = createSignal(first);
  render(() => (
    <StoreContext.Provider value={store}>
      <article tabindex="-1" data-testid="row">
        <QuestionCard
          message={message()}
          question={message().question as Question}
          blocks={[aRun({ state: 'paused' })]}
        >
          <p>{message().body}</p>
        </QuestionCard>
      </article>
      <Toasts />
    </StoreContext.Provider>
  ));
  const answers = () => store.asked.filter((one) => one.name === 'answer').map((one) => one.with);
  const become = (more: Partial<Question>) => setMessage(aQuestionMessage({ ...question, ...more }));
  return { store, answers, become };
}
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const row = () => screen.getByTestId('row');

describe('an open question', () => {
  it('shows the asker, the paused run and the time until the default applies', () => {
    show();
    expect(document.querySelector('.question-title')?.textContent).toBe('Coder asks you, and waits');
    expect(screen.getByText('pauses Coder')).toBeTruthy();
    expect(screen.getByText('default applies in 11 min')).toBeTruthy();
    expect(button(/Keep in memory default/).dataset.kind).toBe('main');
  });

  it('counts the last minute in seconds, and then reports that it expired', () => {
    show();
    vi.advanceTimersByTime(11 * 60_000);
    expect(screen.getByText('default applies in 42 s')).toBeTruthy();
    vi.advanceTimersByTime(42_000);
    expect(screen.getByText('expired')).toBeTruthy();
  });

  it('is answered by a click, and by a number key while it has the focus', async () => {
    const { answers } = show();
    fireEvent.click(button(/Add a column/));
    await waitFor(() => expect(answers()).toEqual([['msg_ask', { option: 'column' }]]));
    fireEvent.keyDown(row(), { key: '1' });
    await waitFor(() => expect(answers()[1]).toEqual(['msg_ask', { option: 'keep' }]));
  });

  it('ignores numbers without an option, with modifiers, or when letter keys are off', () => {
    const { answers } = show();
    for (const how of [{ key: '3' }, { key: '0' }, { key: '1', ctrlKey: true }]) fireEvent.keyDown(row(), how);
    expect(answers()).toEqual([]);
    cleanup();
    const off = fakeStore().preferences();
    const { answers: none } = show({}, { store: { preferences: () => ({ ...off, letterKeys: false }) } });
    fireEvent.keyDown(row(), { key: '1' });
    expect(none()).toEqual([]);
  });

  it('is answered by free text, which is kept after a refusal', async () => {
    const answer = vi.fn().mockRejectedValueOnce(new Refusal('PARLOUR-M04', 'It breaks the rule.'));
    show({}, { answers: { answer } });
    fireEvent.click(button('Reply…'));
    const field = screen.getByRole('textbox', { name: 'Your answer' }) as HTMLTextAreaElement;
    expect(document.activeElement).toBe(field);
    fireEvent.input(field, { target: { value: 'Neither. 1 is enough.' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    await screen.findByText('It breaks the rule. (PARLOUR-M04)');
    expect(answer).toHaveBeenCalledWith('msg_ask', { text: 'Neither. 1 is enough.' });
    expect(field.value).toBe('Neither. 1 is enough.');
    fireEvent.keyDown(field, { key: 'Escape' });
    expect(document.activeElement).toBe(row());
    fireEvent.click(button('Reply…'));
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe('Neither. 1 is enough.');
  });

  it('can be answered with an edited default, which never replaces typed text', () => {
    show();
    fireEvent.click(button('Edit…'));
    const field = screen.getByRole('textbox') as HTMLTextAreaElement;
    expect(field.value).toBe('Keep in memory');
    fireEvent.input(field, { target: { value: 'Keep it for a week' } });
    fireEvent.keyDown(field, { key: 'Escape' });
    fireEvent.click(button('Edit…'));
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe('Keep it for a week');
  });

  it('shows text that was typed before, without taking the focus', () => {
    const kept = { ...EMPTY_DRAFT, text: 'Half a thought' };
    show({}, { store: { draft: (id) => (id === 'answer.msg_ask' ? kept : EMPTY_DRAFT) } });
    const field = screen.getByRole('textbox') as HTMLTextAreaElement;
    expect(field.value).toBe('Half a thought');
    expect(document.activeElement).not.toBe(field);
  });

  it('can be ignored by those whom it asks, and names who did', async () => {
    const { answers, become } = show({ addressees: ['per_mara', 'per_tobias'] });
    fireEvent.click(button('Ignore'));
    await waitFor(() => expect(answers()).toEqual([['msg_ask', { ignore: true }]]));
    become({ ignored_by: ['per_mara'] });
    expect(screen.getByText('You ignored it.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Ignore' })).toBeNull();
    cleanup();
    show({ addressees: ['per_tobias'] });
    expect(screen.queryByRole('button', { name: 'Ignore' })).toBeNull();
    expect(button('Reply…')).toBeTruthy();
  });

  it('can only be withdrawn by its asker', async () => {
    const { store } = show({ addressees: ['agt_coder'] }, { from: { type: 'person', id: 'per_mara', name: 'Mara' } });
    expect(document.querySelector('.question-title')?.textContent).toBe('You ask Coder, and wait');
    expect(screen.queryByRole('button', { name: 'Reply…' })).toBeNull();
    fireEvent.click(button('Withdraw'));
    await waitFor(() => expect(store.asked.at(-1)).toEqual({ name: 'withdraw', with: ['msg_ask'] }));
  });
});

describe('a question with a schema', () => {
  const schema = (value: object) => ({ schema: value as Question['schema'], options: [], default: undefined });

  it('is a form when the schema is simple', async () => {
    const { answers } = show(
      schema({
        type: 'object',
        required: ['version'],
        properties: { version: { type: 'string' }, count: { type: 'integer' } },
      }),
    );
    fireEvent.click(button('Reply…'));
    fireEvent.click(button('Answer'));
    expect(screen.getByText('Required.')).toBeTruthy();
    fireEvent.input(screen.getByLabelText('version'), { target: { value: '0.4' } });
    fireEvent.input(screen.getByLabelText(/count/), { target: { value: '3' } });
    fireEvent.click(button('Answer'));
    await waitFor(() => expect(answers()).toEqual([['msg_ask', { value: { version: '0.4', count: 3 } }]]));
  });

  it('is JSON otherwise, which is checked before it is sent', async () => {
    const { answers } = show(schema({ type: 'array' }));
    fireEvent.click(button('Reply…'));
    const field = screen.getByRole('textbox', { name: 'Your answer, as JSON' });
    fireEvent.input(field, { target: { value: '[1,' } });
    fireEvent.click(button('Answer'));
    expect(screen.getByText(/This is not valid JSON/)).toBeTruthy();
    fireEvent.input(field, { target: { value: '[1]' } });
    fireEvent.click(button('Answer'));
    await waitFor(() => expect(answers()).toEqual([['msg_ask', { value: [1] }]]));
  });
});

describe('a question that has ended', () => {
  it('shows the answer and its author, and no buttons', () => {
    const { become } = show();
    become({
      state: 'answered',
      answer: { option: 'column' },
      closed_by: { type: 'person', id: 'per_tobias', name: 'Tobias' },
      closed_at: '2026-03-02T09:14:00.000Z',
    });
    expect(screen.getByText('Tobias answered')).toBeTruthy();
    expect(screen.getByText('Add a column')).toBeTruthy();
    expect(screen.queryAllByRole('button')).toEqual([]);
  });

  it('shows that the default was applied', () => {
    show({ state: 'expired', answer: { option: 'keep', is_default: true } });
    expect(screen.getByText('Default answer used')).toBeTruthy();
    expect(screen.getByText('Nobody answered in time.')).toBeTruthy();
  });

  it('reports a late answer, and keeps what was typed', async () => {
    const answer = () => Promise.reject(new Refusal('PARLOUR-C12', 'It has expired; its default is the answer.'));
    const { store, become } = show({}, { answers: { answer } });
    fireEvent.click(button('Reply…'));
    fireEvent.input(screen.getByRole('textbox'), { target: { value: 'A long thought' } });
    fireEvent.click(button('Answer'));
    await screen.findByText(/Too late\. It has expired; its default is the answer\. What you typed is kept/);
    become({ state: 'expired', answer: { option: 'keep', is_default: true } });
    expect(screen.getByText('A long thought')).toBeTruthy();
    fireEvent.click(button('Move it to a reply'));
    expect(store.draft('chn_general')).toMatchObject({ text: 'A long thought', replyTo: 'msg_ask' });
    expect(screen.queryByText('A long thought')).toBeNull();
  });
});
