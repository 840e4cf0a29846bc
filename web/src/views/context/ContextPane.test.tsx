import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import type { Agent, Message } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { go } from '../../platform/router';
import { aMessage, anAgent, aSnapshot, fixedMessageList } from '../../state/testing/fixtures';
import { INPUT_DEBOUNCE_MS } from './request/latest_request';
import { aLeftOut, anItem, aPack } from './testing';
import {
  answer,
  lastRequest,
  loadContext,
  pane,
  question,
  refused,
  rest,
  show,
  showWith,
  slider,
  slideTo,
  unfold,
  useGeneral,
} from './testing_pane';

useGeneral();

test('it requests the context for an answer to the newest message of the open conversation', async () => {
  await show();
  expect(screen.getByRole('heading', { name: 'Context preview: Coder', level: 2 })).toBeTruthy();
  expect(loadContext).toHaveBeenCalledExactlyOnceWith(
    'agt_coder',
    { format: 'pack', conversation_id: 'chn_general', message_id: 'msg_q' },
    expect.any(AbortSignal),
  );
  expect(pane()).toContain('For an answer to Mara in #general: “find the cause”');
});

test('its own answer is not the message to answer, and an empty conversation has none', async () => {
  await show([question, answer]);
  expect(lastRequest().message_id).toBe('msg_q');
  cleanup();
  await show([]);
  expect(lastRequest()).toEqual({ format: 'pack', conversation_id: 'chn_general' });
});

test('a conversation that it does not read is not named to the hub', async () => {
  const dms = [
    { id: 'dm_1', project_id: 'prj_1', participants: ['per_mara', 'per_tobias'], created_at: question.created_at },
  ];
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'dm_1' }, { replace: true });
  const parts = { messageList: () => fixedMessageList([question]), snapshot: () => aSnapshot({ dms }) };
  await showWith(parts);
  expect(lastRequest()).toEqual({ format: 'pack' });
  expect(pane()).toContain('The agent cannot read Tobias.');
});

test('beside the page of an agent there is no conversation', async () => {
  go({ view: 'agent', id: 'agt_coder' }, { replace: true });
  await show();
  expect(lastRequest()).toEqual({ format: 'pack' });
  expect(pane()).toContain('without a conversation');
});

test('it waits until the newest message is known', async () => {
  const [isLoading, setLoading] = createSignal(true);
  const messageList = fixedMessageList([question], { loading: isLoading });
  await showWith({ messageList: () => messageList });
  expect(loadContext).not.toHaveBeenCalled();
  setLoading(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(lastRequest().message_id).toBe('msg_q');
});

test('the budget is the default of the agent until the slider is moved, and can be reset', async () => {
  await show();
  expect(slider().getAttribute('aria-valuetext')).toBe('512 tokens');
  expect(pane()).toContain('(agent default)');
  slideTo(0);
  slideTo(4);
  await vi.advanceTimersByTimeAsync(INPUT_DEBOUNCE_MS - 1);
  expect(loadContext).toHaveBeenCalledTimes(1);
  await rest();
  expect(loadContext).toHaveBeenCalledTimes(2);
  expect(lastRequest().budget).toBe(256);
  expect(slider().getAttribute('aria-valuetext')).toBe('256 tokens');
  fireEvent.click(screen.getByRole('button', { name: 'Use default budget' }));
  await rest();
  expect(lastRequest()).not.toHaveProperty('budget');
});

test('a request with an old input is aborted as soon as there is a new one', async () => {
  await show();
  const stops: AbortSignal[] = [];
  loadContext.mockImplementation((_, __, stop) => {
    stops.push(stop);
    return new Promise(() => {});
  });
  slideTo(2);
  await rest();
  expect(stops.map((stop) => stop.aborted)).toEqual([false]);
  slideTo(3);
  expect(stops.map((stop) => stop.aborted)).toEqual([true]);
  await rest();
  expect(stops.map((stop) => stop.aborted)).toEqual([true, false]);
  cleanup();
  expect(stops.map((stop) => stop.aborted)).toEqual([true, true]);
});

test('the last result stays while the next one loads, which is shown after a while', async () => {
  await show();
  loadContext.mockReturnValueOnce(new Promise(() => {}));
  slideTo(2);
  await rest();
  await vi.advanceTimersByTimeAsync(300);
  expect(pane()).toContain('find the cause');
  expect(pane()).toContain('Updating…');
});

test('a late result of an old request is not shown', async () => {
  await show();
  let answerFirst = (_: unknown) => {};
  loadContext.mockReturnValueOnce(new Promise((resolve) => (answerFirst = resolve)));
  slideTo(2);
  await rest();
  loadContext.mockResolvedValueOnce(aPack([anItem({ text: 'of the second wish' })]));
  slideTo(3);
  await rest();
  answerFirst(aPack([anItem({ text: 'of the first wish' })]));
  await rest();
  expect(pane()).toContain('of the second wish');
  expect(pane()).not.toContain('of the first wish');
});

test('model and form are sent as they are chosen', async () => {
  await show();
  fireEvent.input(screen.getByRole('combobox', { name: 'Model' }), { target: { value: ' claude ' } });
  await rest();
  expect(lastRequest().model).toBe('claude');
  fireEvent.click(screen.getByRole('radio', { name: 'Injection' }));
  await rest();
  expect(lastRequest()).toMatchObject({ format: 'injection', model: 'claude' });
});

test('each item shows author, conversation, level, tokens and reasons, and links to its message', async () => {
  loadContext.mockResolvedValue(aPack([anItem({ level: 'one_line', reasons: ['mention', 'unread'] })]));
  await show();
  expect(screen.getByRole('heading', { name: 'Threads and channels · 12 tokens', level: 3 })).toBeTruthy();
  const item = document.querySelector('.context-item')?.textContent;
  expect(item).toContain('Mara in #general12 tokens');
  expect(item).toContain('one line mentions it, unread');
  expect(screen.getByRole('link', { name: /Show the message/ }).getAttribute('href')).toBe(
    '#/p/prj_1/c/chn_general/m/msg_1?pane=context:agt_coder%2Cchn_general',
  );
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
    '22 of 512 tokens: Threads and channels 12, Hub text 10',
  );
});

test('texts are not rendered as Markdown, and redactions are marked only in redacted items', async () => {
  const told = anItem({ text: '**bold** <img src=x> [email 1] [note 1]', redactions: 1 });
  const typed = anItem({ id: 'msg_2', text: 'I type [email 1]' });
  loadContext.mockResolvedValue(aPack([told, typed], { redactions: [{ kind: 'email', count: 1 }] }));
  await show();
  const [first, second] = document.querySelectorAll('.context-item .context-text');
  expect(first?.textContent).toBe('**bold** <img src=x> [email 1] [note 1]');
  expect([...(first?.querySelectorAll('*') ?? [])].map((one) => one.outerHTML)).toHaveLength(1);
  expect(first?.querySelector('mark')?.textContent).toBe('[email 1]');
  expect(second?.querySelector('mark')).toBeNull();
  expect(pane()).toContain('Redacted: 1 × email.');
});

test('typed text that looks like a redaction mark is not highlighted, also beside a real one', async () => {
  const told = anItem({ text: '[mail 9] is typed, but [mail 10] is real.', redactions: 1 });
  const pack = aPack([told], { redactions: [{ kind: 'mail', count: 1 }] });
  loadContext.mockResolvedValue({ ...pack, text: 'all: [mail 9] is typed, but [mail 10] is real.' });
  const findMessage = vi.fn(async () => aMessage({ body: '[mail 9] is typed, but bob@example.org is real.' }));
  await showWith({ messageList: () => fixedMessageList([question]) }, 'agt_coder', { findMessage });
  expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['[mail 10]', '[mail 10]']);
});

test('left-out items are collapsed, by reason, with a count of unlisted ones', async () => {
  loadContext.mockResolvedValue(aPack([anItem(), aLeftOut()], { unlisted: 7 }));
  await show();
  const fold = screen.getByText('Left out (8)').closest('details');
  expect(fold?.open).toBe(false);
  expect(fold?.querySelector('.context-item')).toBeNull();
  unfold();
  expect(fold?.textContent).toContain('Does not fit the budget (1)');
  expect(fold?.textContent).toContain('and 7 more that are not listed');
});

test('it explains token counting, and that only readable items are listed', async () => {
  loadContext.mockResolvedValue(aPack([anItem()], { counting: { encoding: 'bytes', is_exact: false } }));
  await show();
  expect(pane()).toContain('never higher');
  expect(pane()).toContain('Only items that you can read');
});

test('a refusal is shown with its code, and a retry loads the context', async () => {
  loadContext.mockRejectedValueOnce(new Refusal('UNREACHABLE', 'The hub is not responding.'));
  await show();
  expect(refused()?.textContent).toContain('The hub is not responding. (UNREACHABLE)');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(pane()).toContain('find the cause');
  expect(refused()).toBeNull();
});

test('a budget that is too small offers the next one that is not, and keeps the last answer', async () => {
  await show();
  const more = { field: 'budget', candidates: ['703'] };
  loadContext.mockRejectedValueOnce(new Refusal('PARLOUR-M06', '64 tokens are too few here.', more));
  slideTo(0);
  await rest();
  expect(refused()?.textContent).toContain('The last preview is below, with 512 tokens.');
  expect(pane()).toContain('find the cause');
  fireEvent.click(screen.getByRole('button', { name: 'Use 768 tokens' }));
  await rest();
  expect(lastRequest().budget).toBe(768);
  expect(refused()).toBeNull();
});

test('the query of a thread is its newest reply, or its first message', async () => {
  const threads = [
    {
      id: 'thr_1',
      project_id: 'prj_1',
      channel_id: 'chn_general',
      root_message_id: 'msg_q',
      created_at: question.created_at,
    },
  ];
  const reply = aMessage({ id: 'msg_r', to: 'thr_1', body: 'and on lab-7?' });
  const inThread = async (replies: readonly Message[]) => {
    const messageList = (id: string) => fixedMessageList(id === 'thr_1' ? replies : [question]);
    const parts = { messageList, snapshot: () => aSnapshot({ threads } as never) };
    await showWith(parts, 'agt_coder,thr_1');
  };
  await inThread([reply]);
  expect(lastRequest()).toEqual({ format: 'pack', conversation_id: 'thr_1', message_id: 'msg_r' });
  expect(pane()).toContain('in the thread in #general: “and on lab-7?”');
  cleanup();
  await inThread([]);
  expect(lastRequest()).toEqual({ format: 'pack', conversation_id: 'thr_1', message_id: 'msg_q' });
});

test('items of one author are distinguished by their numbers', async () => {
  loadContext.mockResolvedValue(aPack([aLeftOut({ seq: 17 })]));
  await show();
  unfold();
  expect(screen.getByRole('link', { name: 'Show the message of Mara in #general, no. 17' })).toBeTruthy();
});

test('loading shows a placeholder after a while, and an empty result is reported', async () => {
  loadContext.mockReturnValueOnce(new Promise(() => {}));
  await show();
  expect(screen.queryByText('Loading the context preview')).toBeNull();
  await vi.advanceTimersByTimeAsync(300);
  expect(screen.getByText('Loading the context preview')).toBeTruthy();
  cleanup();
  loadContext.mockResolvedValue(aPack([]));
  await show();
  expect(pane()).toContain('The context has no item that you can read');
});

test('a missing agent is reported, and nothing is requested', async () => {
  await show([], 'agt_gone');
  expect(pane()).toContain('not in this project');
  expect(loadContext).not.toHaveBeenCalled();
});

test('a refused model is marked at its field and named in the refusal', async () => {
  await show();
  const field = screen.getByRole('combobox', { name: 'Model' });
  expect(field.getAttribute('aria-invalid')).toBeNull();
  loadContext.mockRejectedValueOnce(new Refusal('PARLOUR-I10', 'This is a single line.', { field: 'model' }));
  fireEvent.input(field, { target: { value: 'a\tb' } });
  await rest();
  expect(refused()?.textContent).toContain('Model: This is a single line. (PARLOUR-I10)');
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

test('an unknown model is reported, with the purpose of the field', async () => {
  loadContext.mockResolvedValue(aPack([anItem()], { counting: { encoding: 'bound', is_exact: false } }));
  await show();
  expect(pane()).toContain('The model of the agent is unknown');
  expect(pane()).toContain('Tokens are counted for this model');
  fireEvent.input(screen.getByRole('combobox', { name: 'Model' }), { target: { value: 'gpt4o' } });
  await rest();
  expect(pane()).toContain('The hub has no tokenizer for “gpt4o”');
});

test('the default format of a hosted agent is a turn', async () => {
  const agents = [
    { ...anAgent(), engine: { provider: 'local', model: 'gpt-4o' } } as Agent,
    anAgent('agt_other', 'Other'),
  ];
  const snapshot = () => aSnapshot({ agents });
  await showWith({ messageList: () => fixedMessageList([question]), snapshot });
  expect(lastRequest().format).toBe('native');
  expect(pane()).toContain('a pack and the conversation');
  expect(screen.getByRole('combobox', { name: 'Model' }).getAttribute('placeholder')).toBe('gpt-4o');
  cleanup();
  await showWith({ messageList: () => fixedMessageList([question]), snapshot }, 'agt_other');
  expect(lastRequest().format).toBe('pack');
});
