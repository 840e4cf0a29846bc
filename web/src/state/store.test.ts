/** The whole store against a fake hub, from signing in to signing out. */
import { createEffect, createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Frame, LogEvent } from '../api/events';
import type { Me, Message } from '../api/model';
import { EMPTY_DRAFT, type Store } from './contract';
import { createStore } from './store';
import { aMessage, aRun, aSnapshot } from './testing/fixtures';

const MARA: Me = { member_id: 'per_mara', name: 'Mara', role: 'person', scopes: [] };
const CHANNEL = 'chn_general';
const draft = (text: string) => ({ ...EMPTY_DRAFT, text });

class FakeSocket {
  static all: FakeSocket[] = [];
  onmessage?: (message: { data: string }) => void;
  onclose?: (close: { code: number }) => void;
  sent: { type: string; ref?: string; project_id?: string; after?: string }[] = [];
  constructor() {
    FakeSocket.all.push(this);
  }
  static get last(): FakeSocket {
    return FakeSocket.all.at(-1) as FakeSocket;
  }
  send(text: string) {
    const frame = JSON.parse(text);
    this.sent.push(frame);
    if (frame.type !== 'subscribe') return;
    this.say({ type: 'ok', ref: frame.ref });
    this.say({ type: 'live', project_id: frame.project_id, position: frame.after ?? 'A0-1' });
  }
  close() {}
  say(frame: Partial<Frame>) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  hello(member_id = 'per_mara') {
    this.say({ type: 'hello', member_id, heartbeat_seconds: 20 });
  }
}

describe('the store', () => {
  let store: Store;
  let dispose: () => void;
  let me: Me | undefined;
  let isThere: boolean;
  let history: Message[];
  let posts: string[];
  let offset: number;
  let asked: string[];

  function answer(method: string, path: string, body: { id?: string; body?: string }): [number, unknown] {
    if (!me && path !== '/sign-in') return [401, { code: 'PARLOUR-A01' }];
    if (path === '/me') return [200, me];
    if (path === '/sign-in') {
      me = MARA;
      return [200, me];
    }
    if (path === '/sign-out') return [204, undefined];
    if (path.startsWith('/projects?')) return [200, { items: [{ id: 'prj_1' }, { id: 'prj_2' }] }];
    if (path === '/projects/prj_1/snapshot') return [200, { ...aSnapshot(), position: `A0-${offset}` }];
    if (path.endsWith('/unread')) return [200, { total: 3, mentions: 1 }];
    if (path.includes('/messages?since=')) return [200, { items: history }];
    if (path.includes('/messages?')) return [200, { items: history.toReversed() }];
    if (method === 'POST' && path === '/messages') {
      posts.push(body.body ?? '');
      const message = aMessage({ id: body.id, body: body.body, seq: history.length + 1 });
      history.push(message);
      return [
        201,
        { ...message, position: 'A0-9', mention_problems: [{ name: 'Codr', reason: 'unknown', candidates: [] }] },
      ];
    }
    return [200, { items: [] }];
  }

  beforeEach(() => {
    [me, isThere, history, posts, offset, asked] = [MARA, true, [], [], 1, []];
    FakeSocket.all = [];
    localStorage.clear();
    vi.stubGlobal('WebSocket', FakeSocket);
    vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
      if (!isThere) throw new TypeError('no way');
      asked.push(path);
      const [status, content] = answer(method, path, body ? JSON.parse(body) : {});
      return new Response(content === undefined ? null : JSON.stringify(content), { status });
    });
    dispose = createRoot((end) => {
      store = createStore();
      return end;
    });
  });
  afterEach(() => {
    dispose();
    vi.unstubAllGlobals();
  });

  const event = (change: object) => {
    offset += 1;
    FakeSocket.last.say({ type: 'event', project_id: 'prj_1', position: `A0-${offset}`, ...change } as LogEvent & {
      type: 'event';
    });
  };
  const until = (isTrue: () => boolean) => vi.waitFor(() => expect(isTrue()).toBe(true), { interval: 1 });
  async function open(): Promise<void> {
    await until(() => store.session().state === 'signed_in' && store.projects().length === 2);
    FakeSocket.last.hello();
    await store.commands.openProject('prj_1');
    store.messageList(CHANNEL);
    await until(() => !store.messageList(CHANNEL).loading());
  }
  const shown = () => {
    const messageList = store.messageList(CHANNEL);
    return messageList.ids().map((id) => messageList.message(id)?.body ?? `… ${messageList.outgoing(id)?.body}`);
  };

  it('signs in by the cookie, opens a project and follows it after its snapshot', async () => {
    await open();
    expect(store.connection()).toEqual({ state: 'live' });
    expect(store.members().get('agt_coder')?.name).toBe('Coder');
    expect(FakeSocket.last.sent).toContainEqual(expect.objectContaining({ project_id: 'prj_1', after: 'A0-1' }));
    await until(() => store.unreadOfProjects().get('prj_2')?.messages === 3);
  });

  it('shows a message at once, and in the same place when it has arrived', async () => {
    await open();
    store.commands.send(CHANNEL, draft('Hello @Codr'));
    expect(shown()).toEqual(['… Hello @Codr']);
    const [id] = store.messageList(CHANNEL).ids();
    await until(() => store.outbox().length === 0);
    expect([shown(), store.messageList(CHANNEL).ids()]).toEqual([['Hello @Codr'], [id]]);
    event({ name: 'messaging.posted', data: history[0] });
    expect(shown()).toEqual(['Hello @Codr']);
    expect(store.mentionProblems(id ?? '')).toHaveLength(1);
  });

  it('shows a message without a break when something else was posted before it', async () => {
    await open();
    history.push(aMessage({ id: 'msg_unheard', body: 'first', seq: 1 }));
    const seen: string[] = [];
    store.commands.send(CHANNEL, draft('Hello'));
    const stop = createRoot((end) => {
      createEffect(() => seen.push(shown().join()));
      return end;
    });
    await until(() => store.outbox().length === 0);
    stop();
    expect([seen[0], seen.at(-1)]).toEqual(['… Hello', 'first,Hello']);
    expect(seen.every((one) => one.includes('Hello'))).toBe(true);
  });

  it('keeps messages while the hub is unreachable, and sends them once', async () => {
    await open();
    isThere = false;
    store.commands.send(CHANNEL, draft('one'));
    store.commands.send(CHANNEL, draft('two'));
    await until(() => store.outbox()[0]?.status.state === 'waiting');
    isThere = true;
    store.commands.reconnect();
    await until(() => store.outbox().length === 0);
    expect(posts).toEqual(['one', 'two']);
  });

  it('reads the list of projects once, and again after a break', async () => {
    await open();
    const lists = () => asked.filter((path) => path.startsWith('/projects?')).length;
    expect(lists()).toBe(1);
    FakeSocket.last.onclose?.({ code: 1012 });
    expect(store.connection().state).toBe('waiting');
    store.commands.reconnect();
    FakeSocket.last.hello();
    await until(() => lists() === 2);
  });

  it('follows answers and typing of the open project', async () => {
    await open();
    const message = aMessage({
      id: 'msg_a',
      state: 'streaming',
      body: '',
      from: { type: 'agent', id: 'agt_coder', name: 'Coder' },
    });
    event({ name: 'messaging.posted', data: message });
    const chunk = { message_id: 'msg_a', conversation_id: CHANNEL, start: 0, text: 'Hi', project_id: 'prj_1' };
    FakeSocket.last.say({ type: 'chunk', ...chunk });
    const typing = { conversation_id: CHANNEL, members: ['per_mara', 'per_tobias'], project_id: 'prj_1' };
    FakeSocket.last.say({ type: 'typing', ...typing });
    expect(store.answering(CHANNEL)).toEqual([{ messageId: 'msg_a', name: 'Coder', memberId: 'agt_coder' }]);
    expect([store.messageList(CHANNEL).growing('msg_a')?.text(), store.typing(CHANNEL)]).toEqual([
      'Hi',
      ['per_tobias'],
    ]);
    event({ name: 'messaging.finished', data: { ...message, state: 'complete', body: 'Hi' } });
    expect([store.answering(CHANNEL), shown()]).toEqual([[], ['Hi']]);
  });

  it('keeps everything when the session ends, and goes on after signing in', async () => {
    await open();
    store.commands.setDraft(CHANNEL, draft('half a sen'));
    me = undefined;
    FakeSocket.last.onclose?.({ code: 4401 });
    expect(store.session()).toEqual({ state: 'signed_out', was: 'Mara' });
    expect([store.draft(CHANNEL).text, store.snapshot()?.reader]).toEqual(['half a sen', 'per_mara']);
    await store.commands.signIn('Mara', 'secret');
    FakeSocket.last.hello();
    expect(FakeSocket.all).toHaveLength(2);
    expect(FakeSocket.last.sent).toContainEqual(expect.objectContaining({ project_id: 'prj_1', after: 'A0-1' }));
    expect(store.draft(CHANNEL).text).toBe('half a sen');
  });

  it('shows no data of the previous person after the next sign-in', async () => {
    await open();
    store.commands.setDraft(CHANNEL, draft('secret'));
    await store.commands.signOut();
    expect([store.session(), store.snapshot(), store.projects()]).toEqual([{ state: 'signed_out' }, undefined, []]);
    me = { ...MARA, member_id: 'per_tobias', name: 'Tobias' };
    document.dispatchEvent(new Event('visibilitychange'));
    await until(() => store.session().state === 'signed_in');
    expect(store.draft(CHANNEL)).toEqual(EMPTY_DRAFT);
  });

  it('loads the project again after a gap', async () => {
    await open();
    offset = 40;
    history.push(aMessage({ id: 'msg_missed', body: 'missed' }));
    FakeSocket.last.say({ type: 'gap', project_id: 'prj_1', reason: 'expired', position: 'A0-40' });
    await until(() => store.snapshot()?.position === 'A0-40' && shown().length === 1);
    expect(shown()).toEqual(['missed']);
  });

  it('loads the questions of the signed-in person, and of the next one', async () => {
    await open();
    const reads = () => asked.filter((path) => path.startsWith('/questions')).length;
    await store.commands.loadQuestions();
    expect(store.questions().state).toBe('ready');
    await store.commands.signOut();
    expect(store.questions()).toMatchObject({ state: 'loading', items: [] });
    const before = reads();
    await store.commands.signIn('Mara', 'secret');
    await until(() => reads() > before && store.questions().state === 'ready');
  });

  it('carries out commands of what is loaded late, and passes on its refusals', async () => {
    await open();
    expect(await store.commands.listRuns()).toEqual({ items: [] });
    isThere = false;
    await expect(store.commands.resumeRun('run_1')).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('keeps open runs by their events', async () => {
    await open();
    event({ name: 'runs.started', data: aRun() });
    expect(store.runs().map((run) => run.id)).toEqual(['run_41']);
    event({ name: 'runs.ended', data: aRun({ state: 'done' }) });
    expect(store.runs()).toEqual([]);
  });
});
