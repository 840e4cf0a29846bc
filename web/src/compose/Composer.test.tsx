import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Channel } from '../api/model';
import { Refusal } from '../api/refusal';
import { isEdited, stopEditing } from '../message/edit/edit_state';
import { Toasts } from '../parts/toast/Toast';
import { giveFocus } from '../platform/focus';
import { type Commands, type Connection, EMPTY_DRAFT, type Store } from '../state/contract';
import { StoreContext } from '../state/store_context';
import { aChannel, aMessage, anAgent, aSnapshot, fakeStore, fixedMessageList } from '../state/testing/fixtures';
import { Composer } from './Composer';

afterEach(() => {
  cleanup();
  for (const button of document.querySelectorAll('.toast button')) (button as HTMLElement).click();
});

function compose(parts: Partial<Store> = {}, answers: Partial<Commands> = {}) {
  const store = fakeStore(parts, answers);
  const [id, setId] = createSignal('chn_general');
  render(() => (
    <StoreContext.Provider value={store}>
      <Composer conversationId={id()} label={id() === 'chn_general' ? '#general' : '#release'} />
      <Toasts />
    </StoreContext.Provider>
  ));
  const sent = () => store.asked.filter((one) => one.name === 'send').map((one) => one.with);
  return { store, setId, sent };
}

const field = () => screen.getByRole('textbox') as HTMLTextAreaElement;
const options = () => screen.queryAllByRole('option').map((one) => one.textContent);

function type(text: string) {
  field().focus();
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  fireEvent.input(field());
}

function press(key: string, how: KeyboardEventInit = {}) {
  return fireEvent.keyDown(field(), { key, ...how });
}

describe('sending', () => {
  it('sends by Enter, empties the field and keeps the focus', () => {
    const { sent } = compose();
    type('Hello\n');
    press('Enter');
    expect(sent()).toMatchObject([['chn_general', { text: 'Hello', importance: 'normal', blocking: false }]]);
    expect(field().value).toBe('');
    expect(document.activeElement).toBe(field());
  });

  it('sends by the button, which is off while there is nothing to send', () => {
    const { sent } = compose();
    const button = screen.getByRole('button', { name: 'Send' }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    type('Hello');
    expect(button.disabled).toBe(false);
    fireEvent.click(button);
    expect(sent()).toHaveLength(1);
  });

  it('does not send a text of only spaces', () => {
    const { sent } = compose();
    type(' \n ');
    press('Enter');
    expect(sent()).toEqual([]);
  });

  it('keeps a text that is too long, and reports it', () => {
    const { sent } = compose();
    const long = 'x'.repeat(66_000);
    type(long);
    press('Enter');
    expect(sent()).toEqual([]);
    expect(field().value).toBe(long);
    expect(screen.getByText(/464 characters too long/)).toBeTruthy();
  });

  it('sends with the options of this message', () => {
    const { sent } = compose();
    type('Look');
    fireEvent.click(screen.getByRole('button', { name: 'Ask and wait' }));
    press('Enter');
    expect(sent()).toMatchObject([['chn_general', { text: 'Look', blocking: true }]]);
    type('/critical Look again');
    press('Enter');
    expect(sent()[1]).toMatchObject(['chn_general', { text: 'Look again', importance: 'critical', blocking: false }]);
  });

  it('queues messages while offline, and reports it', () => {
    const [connection] = createSignal<Connection>({ state: 'offline' });
    const { sent } = compose({ connection });
    expect(field().placeholder).toMatch(/^Offline: your message will be sent/);
    type('Later');
    expect(screen.getByText(/^Offline: your message will be sent/)).toBeTruthy();
    press('Enter');
    expect(sent()).toHaveLength(1);
  });
});

describe('drafts', () => {
  it('change with the conversation', () => {
    const { setId } = compose();
    type('For general');
    setId('chn_release');
    expect(field().value).toBe('');
    type('For release');
    setId('chn_general');
    expect(field().value).toBe('For general');
  });

  it('keep all fields, and show changes made elsewhere', () => {
    const { store } = compose();
    store.commands.setDraft('chn_general', { ...EMPTY_DRAFT, text: 'From a refused message', importance: 'high' });
    expect(field().value).toBe('From a refused message');
    expect(screen.getByRole('button', { name: 'Importance: High' })).toBeTruthy();
  });

  it('show their files, which can be removed', () => {
    const { store } = compose();
    const attachment = { filename: 'plan.png', media_type: 'image/png', size: 2_048, artifact_id: 'art_1' };
    store.commands.setDraft('chn_general', { ...EMPTY_DRAFT, attachments: [attachment] });
    expect(document.querySelector('.attachment img')?.getAttribute('src')).toBe('/artifacts/art_1/content');
    fireEvent.click(screen.getByRole('button', { name: /Remove plan.png/ }));
    expect(store.draft('chn_general').attachments).toEqual([]);
  });
});

describe('Escape', () => {
  it('clears with an undo that restores text and caret', () => {
    compose();
    type('Precious words');
    field().setSelectionRange(8, 8);
    press('Escape');
    expect(field().value).toBe('');
    expect(screen.getByText('Cleared.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(field().value).toBe('Precious words');
    expect(field().selectionStart).toBe(8);
  });

  it('loses nothing that was typed between clearing and undo', () => {
    compose();
    type('Before');
    press('Escape');
    type('Since');
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(field().value).toBe('Before\nSince');
  });

  it('ends a reply before it clears', () => {
    const messageList = () => fixedMessageList([aMessage({ id: 'msg_9', body: 'First **line**\nsecond' })]);
    const { store } = compose({ messageList });
    store.commands.setDraft('chn_general', { ...EMPTY_DRAFT, text: 'Yes', replyTo: 'msg_9' });
    expect(document.querySelector('.reply-bar')?.textContent).toBe('Replying to Mara: First line second');
    press('Escape');
    expect(store.draft('chn_general')).toMatchObject({ text: 'Yes', replyTo: undefined });
    expect(document.querySelector('.reply-bar')).toBeNull();
  });

  it('is left to the page when there is nothing to clear', () => {
    compose();
    field().focus();
    expect(press('Escape')).toBe(true);
    type('x');
    expect(press('Escape')).toBe(false);
  });
});

describe('suggestions', () => {
  it('are navigated and picked by keyboard, and announced to screen readers', () => {
    compose();
    type('Hi @');
    expect(
      options()
        .slice(0, 2)
        .map((one) => one?.includes('Coder') || one?.includes('Reviewer')),
    ).toEqual([true, true]);
    const first = field().getAttribute('aria-activedescendant');
    expect(screen.getAllByRole('option')[0]?.id).toBe(first);
    press('ArrowDown');
    expect(screen.getAllByRole('option')[1]?.getAttribute('aria-selected')).toBe('true');
    press('ArrowUp');
    press('ArrowUp');
    press('ArrowDown');
    press('Tab');
    expect(field().value).toBe('Hi @Coder ');
    expect(options()).toEqual([]);
  });

  it('are picked by the pointer', () => {
    compose();
    type('@rev');
    fireEvent.click(screen.getByRole('option', { name: /Reviewer/ }));
    expect(field().value).toBe('@Reviewer ');
  });

  it('close by Escape, and open again when a letter is deleted', () => {
    compose();
    type('@rev');
    press('Escape');
    expect(options()).toEqual([]);
    expect(field().value).toBe('@rev');
    type('@re');
    expect(options()).toHaveLength(1);
  });

  it('do not open for a restored draft', () => {
    const { store, setId } = compose();
    store.commands.setDraft('chn_release', { ...EMPTY_DRAFT, text: '@Co' });
    setId('chn_release');
    expect(options()).toEqual([]);
  });

  it('do not open again behind a name that begins a longer one', () => {
    const agents = [anAgent('agt_1', 'Code'), anAgent('agt_2', 'Code Reviewer')];
    compose({ snapshot: () => aSnapshot({ agents }) });
    type('@code');
    press('Enter');
    expect(field().value).toBe('@Code ');
    expect(options()).toEqual([]);
  });

  it('offer commands, and Enter runs a complete one', () => {
    const { store, sent } = compose();
    type('/gu');
    expect(options()).toHaveLength(1);
    press('Enter');
    expect(field().value).toBe('/guard');
    press('Enter');
    expect(store.asked.some((one) => one.name === 'resetLoopGuard')).toBe(true);
    expect(sent()).toEqual([]);
  });

  it('report an unknown name, and replace it by a suggestion', () => {
    compose();
    type('@Codr please');
    expect(screen.getByText(/Nobody here is called @Codr/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Coder?' }));
    expect(field().value).toBe('@Coder please');
  });

  it('report an unknown command, and send it as text', () => {
    const { sent } = compose();
    type('/tpic x');
    expect(screen.getByText(/Unknown command \/tpic/)).toBeTruthy();
    press('Enter');
    expect(sent()).toMatchObject([['chn_general', { text: '/tpic x' }]]);
  });
});

it('keeps the text of a command that the hub refuses', async () => {
  compose({}, { updateChannel: () => Promise.reject(new Refusal('PARLOUR-A02', 'You may not change this channel.')) });
  type('/topic New');
  press('Enter');
  expect(await screen.findByText('You may not change this channel. (PARLOUR-A02) Your text is kept.')).toBeTruthy();
  expect(field().value).toBe('/topic New');
});

it('keeps text that was typed while a command runs', async () => {
  let finish = () => {};
  const updateChannel = () => new Promise<Channel>((resolve) => (finish = () => resolve(aChannel())));
  compose({}, { updateChannel });
  type('/topic New');
  press('Enter');
  type('Something else');
  finish();
  expect(await screen.findByText('Topic changed.')).toBeTruthy();
  expect(field().value).toBe('Something else');
});

it('edits the last own message by Up in an empty field', () => {
  const messages = [
    aMessage({ id: 'msg_1', seq: 1 }),
    aMessage({ id: 'msg_2', seq: 2, from: { type: 'person', id: 'per_tobias', name: 'Tobias' } }),
  ];
  compose({ messageList: () => fixedMessageList(messages) });
  field().focus();
  press('ArrowUp');
  expect(isEdited('msg_1')).toBe(true);
  stopEditing();
});

it('takes the focus given to its conversation', () => {
  compose();
  field().blur();
  expect(giveFocus('composer', 'chn_release')).toBe(false);
  expect(giveFocus('composer', 'chn_general')).toBe(true);
  expect(document.activeElement).toBe(field());
});

it('offers a long paste as a file, and keeps it as text otherwise', () => {
  const upload = vi.fn(() => new Promise<never>(() => {}));
  compose({}, { upload });
  const long = 'line\n'.repeat(2_000);
  fireEvent.paste(field(), { clipboardData: { files: [], getData: () => long } });
  type(`See: ${long}`);
  fireEvent.click(screen.getByRole('button', { name: 'Attach as a file' }));
  expect(field().value).toBe('See: ');
  expect(upload).toHaveBeenCalledOnce();
});

it('shows why the conversation is read-only', () => {
  const store = fakeStore();
  render(() => (
    <StoreContext.Provider value={store}>
      <Composer conversationId="chn_general" label="#general" readOnly="#general is archived." />
    </StoreContext.Provider>
  ));
  expect(screen.getByText('#general is archived.')).toBeTruthy();
  expect(screen.queryByRole('textbox')).toBeNull();
});
