import { fireEvent } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { describe, expect, test } from 'vitest';
import type { Message } from '../api/model';
import type { Outgoing } from '../state/contract';
import { aMessage } from '../state/testing/fixtures';
import { anAnswer, anOutgoing, renderOutgoing, renderRow } from './testing';

describe('the article has the fields of the message as attributes', () => {
  test.each<[string, Partial<Message>, string, string]>([
    ['the reader', {}, 'user-message', 'end'],
    ['another person', { from: { type: 'person', id: 'per_tobias', name: 'Tobias' } }, 'user-message', 'start'],
    ['an applet', { from: { type: 'applet', id: 'file-browser', name: 'file-browser' } }, 'applet-message', 'start'],
    ['an agent to another', { from: { type: 'agent', id: 'agt_coder', name: 'Coder' } }, 'agent-message', 'start'],
    ['a schedule', { from: { type: 'scheduler', id: 'standup', name: 'standup' } }, 'scheduler-message', 'start'],
    [
      'an answer',
      { from: { type: 'agent', id: 'agt_coder', name: 'Coder' }, kind: 'assistant' },
      'assistant-message',
      'start',
    ],
    ['a tool', { from: { type: 'tool', id: 'cargo', name: 'cargo' }, kind: 'tool_result' }, 'tool-message', 'start'],
    ['the system', { from: { type: 'system', name: 'Parlour' }, kind: 'system' }, 'system-message', 'centre'],
    ['the hub', { from: { type: 'host', name: 'Parlour' }, kind: 'host' }, 'host-message', 'centre'],
  ])('%s', (_, more, className, side) => {
    const message = aMessage(more);
    const { article } = renderRow({ message });
    expect(article.classList.contains(className)).toBe(true);
    expect(article.dataset).toMatchObject({ id: 'msg_1', kind: message.kind, state: 'complete', side });
  });

  test('author and time are its name for screen readers', () => {
    const { article } = renderRow();
    expect(article.getAttribute('aria-label')).toMatch(/^Mara, \d\d:12/);
    expect(article.querySelector('h1, h2, h3, h4, h5, h6')).toBeNull();
  });

  test('another person has a colour, on bubble and avatar; the reader has none', () => {
    const other = aMessage({ from: { type: 'person', id: 'per_tobias', name: 'Tobias' } });
    const { article } = renderRow({ message: other });
    expect(article.dataset.colour).toMatch(/^[1-6]$/);
    expect(article.querySelector<HTMLElement>('.avatar')?.dataset.colour).toBe(article.dataset.colour);
    expect(renderRow().article.dataset.colour).toBeUndefined();
  });

  test('own reactions are recognised', () => {
    expect(renderRow().article.dataset.mine).toBe('');
    const other = aMessage({ from: { type: 'person', id: 'per_tobias', name: 'Tobias' } });
    expect(renderRow({ message: other }).article.dataset.mine).toBeUndefined();
  });
});

describe('the head', () => {
  test('names author, source and time', () => {
    const message = aMessage({ from: { type: 'applet', id: 'file-browser', name: 'file-browser' } });
    const { article } = renderRow({ message });
    const head = article.querySelector('.message-head');
    expect(head?.textContent).toMatch(/^file-browserapplet\d\d:12/);
  });

  test('shows the source of an imported message, without a member link', () => {
    const message = aMessage({ from: { type: 'person', id: 'pynchy:u-7', name: 'Mara' } });
    const { article, getByText } = renderRow({ message });
    expect(getByText('from pynchy').title).toBe('Imported from pynchy');
    expect(article.querySelector('button.message-name')).toBeNull();
    expect(article.querySelector('.message-head')?.textContent).toMatch(/^Marafrom pynchy/);
  });

  test('of a member has no import label', () => {
    const { article } = renderRow();
    expect(article.querySelector('.message-origin')).toBeNull();
    expect(article.querySelector('button.message-name')).not.toBeNull();
  });

  test('marks importance', () => {
    const message = aMessage({
      importance: 'critical',
      blocking: true,
      is_notice: true,
      edited_at: '2026-03-02T09:13:00Z',
    });
    const { getByText } = renderRow({ message });
    expect(getByText('critical').dataset.importance).toBe('critical');
    expect(getByText('edited').title).toMatch(/^Edited .*2026/);
    getByText('waiting for an answer');
    getByText('notice');
  });

  test('of a message that shares one has only the marks', () => {
    const { article } = renderRow({ message: aMessage({ importance: 'high' }), isContinued: true });
    expect(article.querySelector('.message-head')?.textContent).toBe('high');
  });

  test('is shared by messages within minutes', () => {
    const { article } = renderRow({ isContinued: true });
    expect(article.querySelector('.message-head, .avatar')).toBeNull();
    expect(article.querySelector('.message-margin time')?.textContent).toMatch(/:12/);
  });
});

describe('a removed message', () => {
  const removed_at = '2026-03-02T09:15:00.000Z';

  test('keeps its place, its author and its thread', () => {
    const { article, getByText } = renderRow({ message: aMessage({ body: '', removed_at, thread_id: 'thr_1' }) });
    getByText('This message was deleted.');
    getByText('Mara');
    getByText('Open the thread');
    expect(article.dataset.removed).toBe('');
  });

  test('offers nothing to do', () => {
    const { article } = renderRow({ message: aMessage({ body: '', removed_at }) });
    fireEvent.pointerOver(article);
    expect(article.querySelector('.message-toolbar')).toBeNull();
  });

  test('is centred when it was not a bubble', () => {
    const from = { type: 'tool', id: 'cargo', name: 'cargo' } as const;
    const { article } = renderRow({ message: aMessage({ from, kind: 'tool_result', body: '', removed_at }) });
    expect(article.querySelector('.message-note')?.textContent).toBe('This message was deleted.');
  });
});

describe('an outgoing message', () => {
  test('looks like the message that it will be', () => {
    const { article } = renderOutgoing(anOutgoing());
    expect(article.className).toBe('message user-message');
    expect(article.dataset).toMatchObject({ state: 'sending', side: 'end' });
    expect(article.hasAttribute('data-mine')).toBe(true);
    expect(article.querySelector('.message-bubble')?.textContent).toContain('Hello');
  });

  test('settles without a new element', () => {
    const [stored, setStored] = createSignal<Message>();
    const [outgoing, setOutgoing] = createSignal<Outgoing | undefined>(anOutgoing());
    const { article } = renderOutgoing(anOutgoing(), { messageList: { message: stored, outgoing } });
    const bubble = article.querySelector('.message-bubble');
    const text = article.querySelector('.markdown');
    setStored(aMessage());
    setOutgoing(undefined);
    expect(article.isConnected).toBe(true);
    expect(article.dataset.state).toBe('complete');
    expect(article.querySelector('.message-bubble')).toBe(bubble);
    expect(article.querySelector('.markdown')).toBe(text);
  });
});

test('an answer is left and has no chip', () => {
  const { article } = renderRow({ message: anAnswer() });
  expect(article.querySelector('.chip')).toBeNull();
  expect(article.querySelector('.avatar')?.getAttribute('data-shape')).toBe('assistant');
});
