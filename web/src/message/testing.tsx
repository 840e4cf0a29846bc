/** Renders one row with a store of fixed values. */
import { cleanup, render } from '@solidjs/testing-library';
import { afterEach } from 'vitest';
import type { Message, Step } from '../api/model';
import type { Commands, GrowingText, MessageList, Outgoing, Store } from '../state/contract';
import { StoreContext } from '../state/store_context';
import { aMessage, fakeStore, fixedMessageList } from '../state/testing/fixtures';
import { MessageRow } from './MessageRow';

afterEach(cleanup);

export interface RowOptions {
  readonly message?: Message;
  /** Other messages of the list. */
  readonly others?: readonly Message[];
  readonly messageList?: Partial<MessageList>;
  readonly store?: Partial<Store>;
  readonly answers?: Partial<Commands>;
  readonly isContinued?: boolean;
  readonly scope?: 'conversation' | 'thread';
}

export function renderRow(options: RowOptions = {}) {
  const message = options.message ?? aMessage();
  const store = fakeStore(options.store, options.answers);
  const messageList = fixedMessageList([message, ...(options.others ?? [])], options.messageList);
  const view = render(() => (
    <StoreContext.Provider value={store}>
      <MessageRow
        messageList={messageList}
        id={message.id}
        isContinued={options.isContinued ?? false}
        scope={options.scope ?? 'conversation'}
      />
    </StoreContext.Provider>
  ));
  const article = view.container.querySelector('article');
  if (!article) throw new Error('no row was rendered');
  return { ...view, article, store, messageList, asked: () => store.asked.map((one) => one.name) };
}

export function anOutgoing(more: Partial<Outgoing> = {}): Outgoing {
  return {
    id: 'msg_1',
    projectId: 'prj_1',
    conversationId: 'chn_general',
    body: 'Hello',
    importance: 'normal',
    blocking: false,
    attachments: [],
    at: Date.parse('2026-03-02T09:12:00.000Z'),
    status: { state: 'sending' },
    ...more,
  };
}

/** Renders an outgoing message. */
export function renderOutgoing(outgoing: Outgoing, options: RowOptions = {}) {
  const messageList = { message: () => undefined, outgoing: () => outgoing, ...options.messageList };
  return renderRow({ ...options, message: aMessage({ id: outgoing.id }), messageList });
}

export function anAnswer(more: Partial<Message> = {}): Message {
  const from = { type: 'agent', id: 'agt_coder', name: 'Coder' } as const;
  return aMessage({ from, kind: 'assistant', body: 'Here it is.', ...more });
}

export function aStep(more: Partial<Step> = {}): Step {
  return {
    id: 's1',
    name: 'rg epoch',
    started_at: '2026-03-02T09:12:00.000Z',
    finished_at: '2026-03-02T09:12:01.800Z',
    ...more,
  };
}

/** A streaming text that the test extends. */
export function growingText(): GrowingText & { add(piece: string): void; readonly listeners: number } {
  let text = '';
  const listeners = new Set<(text: string) => void>();
  return {
    text: () => text,
    listen(onText) {
      listeners.add(onText);
      return () => listeners.delete(onText);
    },
    add(piece) {
      text += piece;
      for (const onText of [...listeners]) onText(text);
    },
    get listeners() {
      return listeners.size;
    },
  };
}
