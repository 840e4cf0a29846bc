import { fireEvent } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '../../api/model';
import { takesFocus } from '../../platform/focus';
import { route } from '../../platform/router';
import { runShortcut } from '../../platform/shortcuts';
import { aMessage } from '../../state/testing/fixtures';
import { isEdited, stopEditing } from '../edit/edit_state';
import { anAnswer, anOutgoing, type RowOptions, renderOutgoing, renderRow } from '../testing';

beforeEach(() => {
  location.hash = '#/p/prj_1/c/chn_general';
  dispatchEvent(new Event('hashchange'));
});
afterEach(() => {
  stopEditing();
  fireEvent.pointerOver(document.body);
  fireEvent.focusOut(document.body);
});

function renderHovered(options: RowOptions = {}) {
  const row = renderRow(options);
  fireEvent.pointerOver(row.article);
  return row;
}

const acts = (article: Element) =>
  [...article.querySelectorAll('.message-toolbar > button')].map((button) => button.getAttribute('aria-label'));
const ALL_REACTIONS = ['React with thumbs up', 'React with done', 'React with looking', 'React'];

describe('the toolbar', () => {
  test('is there only under the pointer', () => {
    const { article } = renderRow();
    expect(article.querySelector('.message-toolbar')).toBeNull();
    fireEvent.pointerOver(article.querySelector('.markdown') as Element);
    expect(acts(article)).toEqual([...ALL_REACTIONS, 'Reply in a thread', 'Quote and reply', 'More']);
    fireEvent.pointerOver(document.body);
    expect(article.querySelector('.message-toolbar')).toBeNull();
  });

  test('has no thread in a thread', () => {
    const { article } = renderHovered({ message: aMessage({ type: 'thread', to: 'thr_1' }), scope: 'thread' });
    expect(acts(article)).toEqual([...ALL_REACTIONS, 'Quote and reply', 'More']);
  });

  test('of a host message only copies and removes', () => {
    const { article } = renderHovered({ message: aMessage({ from: { type: 'host', name: 'Parlour' }, kind: 'host' }) });
    expect(acts(article)).toEqual(['More']);
  });

  test('stops an answer that is being written', () => {
    const { getByLabelText, store } = renderHovered({ message: anAnswer({ state: 'streaming' }) });
    fireEvent.click(getByLabelText('Stop the answer'));
    expect(store.asked).toEqual([{ name: 'cancelAnswer', with: ['msg_1'] }]);
  });

  test('leaves the focus in the row when its button disappears', () => {
    const [message, setMessage] = createSignal<Message>(anAnswer({ state: 'streaming' }));
    const { article, getByLabelText } = renderHovered({ message: message(), messageList: { message } });
    getByLabelText('Stop the answer').focus();
    setMessage(anAnswer({ state: 'cancelled' }));
    expect(document.activeElement).toBe(article);
  });

  test('is not shown for outgoing messages', () => {
    const { article } = renderOutgoing(anOutgoing());
    fireEvent.pointerOver(article);
    expect(article.querySelector('.message-toolbar')).toBeNull();
  });

  test('reacts with one click', () => {
    const { getByLabelText, store } = renderHovered();
    fireEvent.click(getByLabelText('React with done'));
    expect(store.asked).toEqual([{ name: 'toggleReaction', with: [aMessage(), '✅'] }]);
  });

  test('quotes into the composer', () => {
    const { getByLabelText, store } = renderHovered();
    fireEvent.click(getByLabelText('Quote and reply'));
    expect(store.draft('chn_general').replyTo).toBe('msg_1');
  });

  test('opens a thread, a new one if there is none', async () => {
    const openThread = async () => ({ id: 'thr_9' }) as never;
    const { getByLabelText } = renderHovered({ answers: { openThread } });
    fireEvent.click(getByLabelText('Reply in a thread'));
    await vi.waitFor(() => expect(route()).toMatchObject({ pane: { kind: 'thread', id: 'thr_9' } }));
  });
});

describe('the menu', () => {
  const labels = (article: Element) => [...article.querySelectorAll('.menu-label')].map((label) => label.textContent);

  test('offers the author to edit and to delete', () => {
    const { article, getByLabelText } = renderHovered();
    fireEvent.click(getByLabelText('More'));
    expect(labels(article)).toEqual(['Copy the text', 'Copy the link', 'Deliveries', 'Edit', 'Delete…']);
  });

  test('links from a message about a task to its timeline', () => {
    const { getByLabelText, getByText } = renderHovered({
      message: aMessage({ context: { project_id: 'prj_1', task_id: 'tsk_1' } }),
    });
    fireEvent.click(getByLabelText('More'));
    fireEvent.click(getByText('Timeline of the task'));
    expect(route()).toMatchObject({ pane: { kind: 'task', id: 'tsk_1' } });
  });

  test('keeps the toolbar while it is open', () => {
    const { article, getByLabelText } = renderHovered();
    fireEvent.click(getByLabelText('More'));
    fireEvent.pointerOver(document.body);
    expect(article.querySelector('.menu')).not.toBeNull();
  });

  test('asks before it deletes, and shows the message', async () => {
    const { getByLabelText, getByText, getByRole, asked } = renderHovered();
    fireEvent.click(getByLabelText('More'));
    fireEvent.click(getByText('Delete…'));
    const dialog = getByRole('dialog', { hidden: true });
    expect(dialog.textContent).toContain('cannot be undone');
    expect(dialog.querySelector('blockquote')?.textContent).toBe('Hello');
    expect(asked()).toEqual([]);
    fireEvent.click(getByText('Delete'));
    await vi.waitFor(() => expect(asked()).toEqual(['remove']));
  });

  test('copies a link to the message', async () => {
    const writeText = vi.fn(async (_text: string) => {});
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    const { getByLabelText, getByText } = renderHovered();
    fireEvent.click(getByLabelText('More'));
    fireEvent.click(getByText('Copy the link'));
    expect(writeText.mock.calls[0]?.[0]).toMatch(/#\/p\/prj_1\/c\/chn_general\/m\/msg_1$/);
    vi.unstubAllGlobals();
  });
});

describe('the picker', () => {
  test('finds a sign by its name', () => {
    const { getByLabelText, store, article } = renderHovered();
    fireEvent.click(getByLabelText('React'));
    const field = getByLabelText('Search reactions');
    expect(document.activeElement).toBe(field);
    fireEvent.input(field, { target: { value: 'bug' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(store.asked).toEqual([{ name: 'toggleReaction', with: [aMessage(), '🐛'] }]);
    expect(article.querySelector('.reaction-picker')).toBeNull();
  });

  test('is navigated by arrow keys', () => {
    const { getByLabelText, article } = renderHovered();
    fireEvent.click(getByLabelText('React'));
    const signs = [...article.querySelectorAll('.picker-sign')];
    const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key });
    press('ArrowDown');
    expect(document.activeElement).toBe(signs[0]);
    press('ArrowRight');
    press('ArrowDown');
    expect(document.activeElement).toBe(signs[9]);
    press('ArrowUp');
    press('ArrowUp');
    expect(document.activeElement).toBe(getByLabelText('Search reactions'));
    press('Escape');
    expect(article.querySelector('.reaction-picker')).toBeNull();
    expect(document.activeElement).toBe(getByLabelText('React'));
  });
});

describe('the keys of the focused message', () => {
  test('work only while it has the focus', () => {
    const { article } = renderRow();
    expect(runShortcut('edit')).toBe(false);
    article.focus();
    fireEvent.keyDown(article, { key: 'e' });
    expect(runShortcut('edit')).toBe(true);
    expect(isEdited('msg_1')).toBe(true);
  });

  test('do not edit messages of others', () => {
    const { article } = renderHovered({ message: anAnswer() });
    article.focus();
    runShortcut('edit');
    expect(isEdited('msg_1')).toBe(false);
  });

  test('quote where there are no threads', () => {
    const { article, store } = renderHovered({ message: aMessage({ type: 'dm', to: 'dm_1' }) });
    article.focus();
    runShortcut('reply');
    expect(store.draft('dm_1').replyTo).toBe('msg_1');
  });

  test('ask before they delete', () => {
    const { article, getByText, asked } = renderHovered();
    article.focus();
    runShortcut('remove');
    getByText('Delete this message?');
    expect(asked()).toEqual([]);
  });
});

describe('the first message of a thread, in its pane', () => {
  test('is not quoted there, because it belongs to the channel', () => {
    const { article } = renderHovered({ message: aMessage({ thread_id: 'thr_1' }), scope: 'thread' });
    expect(acts(article)).toEqual([...ALL_REACTIONS, 'More']);
  });

  test('is answered in its thread', () => {
    let focused = 0;
    const end = takesFocus('composer', 'thr_1', () => {
      focused += 1;
    });
    const { article, store } = renderHovered({ message: aMessage({ thread_id: 'thr_1' }), scope: 'thread' });
    article.focus();
    runShortcut('reply');
    expect(focused).toBe(1);
    expect(store.asked).toEqual([]);
    end();
  });
});
