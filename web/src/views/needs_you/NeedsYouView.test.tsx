import { cleanup, fireEvent, render, screen, waitFor } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenQuestion } from '../../api/model';
import { unreachable } from '../../api/refusal';
import { runShortcut } from '../../platform/shortcuts';
import type { Questions } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { anOpenQuestion, aQuestionMessage, aRun, fakeStore } from '../../state/testing/fixtures';
import { NeedsYouView } from './NeedsYouView';

afterEach(cleanup);

const ask = (id: string, body: string): OpenQuestion =>
  anOpenQuestion({ message: aQuestionMessage({}, { id, body }), blocks: [aRun({ state: 'paused' })] });

function show(first: Partial<Questions>) {
  const [questions, setQuestions] = createSignal<Questions>({ state: 'ready', items: [], hasMore: false, ...first });
  const drop = async (id: string) => {
    setQuestions((now) => ({ ...now, items: now.items.filter((one) => one.message.id !== id) }));
    return aQuestionMessage();
  };
  const store = fakeStore({ questions }, { answer: drop });
  render(() => (
    <StoreContext.Provider value={store}>
      <NeedsYouView />
    </StoreContext.Provider>
  ));
  return { store, setQuestions, answers: () => store.asked.filter((one) => one.name === 'answer') };
}
const cards = () => screen.getAllByRole('article');

describe('the view of open questions', () => {
  it('shows each question with its conversation, paused run and a link', () => {
    show({ items: [ask('msg_1', 'Column or memory?')] });
    const link = screen.getByRole('link', { name: 'Parlour dev · #general' });
    expect(link.getAttribute('href')).toBe('#/p/prj_1/c/chn_general/m/msg_1');
    expect(screen.getByText('pauses Coder')).toBeTruthy();
    expect(screen.getByText('Column or memory?')).toBeTruthy();
  });

  it('is navigated and answered by keys, and moves on to the next card', async () => {
    const { answers } = show({ items: [ask('msg_1', 'First?'), ask('msg_2', 'Second?')] });
    runShortcut('next-message');
    runShortcut('next-message');
    runShortcut('previous-message');
    expect(document.activeElement).toBe(cards()[0]);
    fireEvent.keyDown(cards()[0] as HTMLElement, { key: '2' });
    await waitFor(() => expect(cards()).toHaveLength(1));
    expect(answers()[0]?.with).toEqual(['msg_1', { option: 'column' }]);
    await waitFor(() => expect(document.activeElement).toBe(cards()[0]));
    runShortcut('reply');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Your answer' }));
  });

  it('ignores a question by a key', async () => {
    const { answers } = show({ items: [ask('msg_1', 'First?')] });
    runShortcut('next-message');
    runShortcut('ignore');
    await waitFor(() => expect(answers()[0]?.with).toEqual(['msg_1', { ignore: true }]));
  });

  it('keeps a card and what is typed in it while others come and go', () => {
    const items = [ask('msg_1', 'First?')];
    const { setQuestions } = show({ items });
    fireEvent.click(screen.getByRole('button', { name: 'Reply…' }));
    const field = screen.getByRole('textbox');
    setQuestions((now) => ({ ...now, items: [ask('msg_0', 'Sooner?'), ask('msg_1', 'First?')] }));
    expect(screen.getByRole('textbox')).toBe(field);
    expect(cards()).toHaveLength(2);
  });

  it('loads more on demand', () => {
    const { store } = show({ items: [ask('msg_1', 'First?')], hasMore: true });
    fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(store.asked.at(-1)?.name).toBe('loadMoreQuestions');
    expect(screen.getByText('1 open question, and more')).toBeTruthy();
  });

  it('is empty without questions, and shows why they could not be loaded', () => {
    show({});
    expect(screen.getByText(/No open questions/)).toBeTruthy();
    cleanup();
    const { store } = show({ state: 'failed', refusal: unreachable() });
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(store.asked.at(-1)?.name).toBe('loadQuestions');
  });
});
