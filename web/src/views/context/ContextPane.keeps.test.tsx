/** What the pane keeps and drops: options, query, focus, results. */
import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { Refusal } from '../../api/refusal';
import { go, paneOf, route } from '../../platform/router';
import { parseRoute } from '../../platform/routes';
import type { Commands, ContextChange } from '../../state/contract';
import { aMessage, fixedMessageList } from '../../state/testing/fixtures';
import { EVENT_DEBOUNCE_MS, EVENT_REQUEST_INTERVAL_MS } from './request/latest_request';
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
  useGeneral,
} from './testing_pane';

useGeneral();

const chooseAgent = (id: string) => {
  const select = screen.getByRole('combobox', { name: 'Agent' }) as HTMLSelectElement;
  select.focus();
  fireEvent.change(select, { target: { value: id } });
};
const open = (conversationId: string, messageId?: string) => {
  const pane = paneOf(route());
  const there = {
    view: 'conversation',
    projectId: 'prj_1',
    conversationId,
    ...(messageId ? { messageId } : {}),
  } as const;
  go(pane ? { ...there, pane } : there);
};

test('options are part of the address, and are restored with the pane', async () => {
  await show();
  slideTo(4);
  fireEvent.input(screen.getByRole('combobox', { name: 'Model' }), { target: { value: 'claude' } });
  fireEvent.click(screen.getByRole('radio', { name: 'Injection' }));
  const address = location.hash;
  cleanup();
  await show([question], new URLSearchParams(address.split('?')[1]).get('pane')?.replace('context:', ''));
  expect(lastRequest()).toMatchObject({ budget: 256, model: 'claude', format: 'injection' });
  expect(slider().getAttribute('aria-valuetext')).toBe('256 tokens');
});

test('another agent is asked about with the same choices, and the keyboard stays where it was', async () => {
  await show();
  slideTo(4);
  await rest();
  chooseAgent('agt_reviewer');
  await rest();
  expect(loadContext.mock.lastCall?.[0]).toBe('agt_reviewer');
  expect(lastRequest().budget).toBe(256);
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Agent' }));
  expect(screen.getByRole('heading', { name: 'Context preview: Reviewer', level: 2 })).toBeTruthy();
});

test('the preview of one agent is not shown for another one', async () => {
  await show();
  loadContext.mockReturnValue(new Promise(() => {}));
  chooseAgent('agt_reviewer');
  expect(document.querySelector('.context-item')).toBeNull();
});

test('the preview of one conversation is not shown for another one, also when that one has none', async () => {
  await show();
  loadContext.mockRejectedValue(new Refusal('PARLOUR-M06', 'too small', { candidates: ['703'] }));
  open('chn_release');
  expect(document.querySelector('.context-item')).toBeNull();
  await rest();
  expect(refused()?.textContent).toContain('too small');
  expect(refused()?.textContent).not.toContain('The last preview is below');
  expect(document.querySelector('.context-item')).toBeNull();
});

test('following a link keeps the query; another conversation is previewed on request', async () => {
  await show();
  const href = screen.getByRole('link', { name: /Show the message/ }).getAttribute('href') ?? '';
  go(parseRoute(href.replace('chn_general/m', 'chn_release/m')));
  await rest();
  expect(loadContext).toHaveBeenCalledTimes(1);
  expect(pane()).toContain('in #general');
  fireEvent.click(screen.getByRole('button', { name: 'Preview #release instead' }));
  await rest();
  expect(lastRequest().conversation_id).toBe('chn_release');
  expect(screen.queryByRole('button', { name: /instead$/ })).toBeNull();
});

test('beside an old range of messages, the newest message is requested', async () => {
  const loadNewest = vi.fn(async () => [answer, question]);
  const messageList = fixedMessageList([aMessage({ id: 'msg_old' })], { newer: () => 'more' });
  await showWith({ messageList: () => messageList }, 'agt_coder', { loadNewest });
  await vi.advanceTimersByTimeAsync(0);
  expect(loadNewest).toHaveBeenCalledExactlyOnceWith('chn_general');
  expect(lastRequest().message_id).toBe('msg_q');
  expect(pane()).toContain('“find the cause”');
});

test('a result is described by its own query until the next one', async () => {
  const [messages, setMessages] = createSignal([question]);
  const messageList = { ...fixedMessageList([]), ids: () => messages().map((one) => one.id) };
  const message = (id: string) => messages().find((one) => one.id === id);
  await showWith({ messageList: () => ({ ...messageList, message }) });
  await vi.advanceTimersByTimeAsync(EVENT_REQUEST_INTERVAL_MS);
  setMessages([question, aMessage({ id: 'msg_new', body: 'and on lab-7?' })]);
  expect(pane()).toContain('“find the cause”');
  expect(pane()).toContain('The project has changed');
  await vi.advanceTimersByTimeAsync(EVENT_DEBOUNCE_MS);
  expect(lastRequest().message_id).toBe('msg_new');
  expect(pane()).toContain('“and on lab-7?”');
  expect(pane()).not.toContain('The project has changed');
});

test('relevant events refresh the preview, and the button does so at any time', async () => {
  let tell = (_: ContextChange) => {};
  const followContext: Commands['followContext'] = async (_, onChange) => {
    tell = onChange;
  };
  await showWith({ messageList: () => fixedMessageList([question]) }, 'agt_coder', { followContext });
  expect(pane()).toMatch(/As of \d/);
  await vi.advanceTimersByTimeAsync(EVENT_REQUEST_INTERVAL_MS);
  tell('missed');
  await vi.advanceTimersByTimeAsync(EVENT_DEBOUNCE_MS);
  expect(loadContext).toHaveBeenCalledTimes(2);
  fireEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(loadContext).toHaveBeenCalledTimes(3);
});

test('the focus moves to the slider when a budget is taken or reset', async () => {
  await show();
  loadContext.mockRejectedValueOnce(new Refusal('PARLOUR-M06', 'too small', { candidates: ['703'] }));
  slideTo(0);
  await rest();
  const take = screen.getByRole('button', { name: 'Use 768 tokens' });
  take.focus();
  fireEvent.click(take);
  expect(document.activeElement).toBe(slider());
  const own = screen.getByRole('button', { name: 'Use default budget' });
  own.focus();
  fireEvent.click(own);
  expect(document.activeElement).toBe(slider());
});

test('the focus moves to "Refresh" when its element disappears', async () => {
  loadContext.mockRejectedValueOnce(new Refusal('UNREACHABLE', 'The hub is not responding.'));
  await show();
  const again = screen.getByRole('button', { name: 'Try again' });
  again.focus();
  fireEvent.click(again);
  await vi.advanceTimersByTimeAsync(0);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Refresh' }));
  const link = screen.getByRole('link', { name: /Show the message/ });
  link.focus();
  loadContext.mockResolvedValue(aPack([anItem({ id: 'msg_other' })]));
  fireEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Refresh' }));
});

test('the focus and open sections stay when a newer result has the same items', async () => {
  const items = (tokens: number) => [anItem({ tokens }), aLeftOut()];
  loadContext.mockResolvedValue(aPack(items(12)));
  await show();
  const [link, fold] = [screen.getAllByRole('link', { name: /Show the message/ })[0], screen.getByText(/^Left out/)];
  link?.focus();
  loadContext.mockResolvedValue(aPack([anItem({ id: 'msg_new', text: 'newer' }), ...items(8)]));
  fireEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(pane()).toContain('newer');
  expect(pane()).toContain('8 tokens');
  expect(document.activeElement).toBe(link);
  expect(fold.isConnected).toBe(true);
});
