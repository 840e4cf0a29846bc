import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogEvent } from './events';
import {
  BATCH_EVENTS_MAX,
  DOUBTFUL_REPLY_MS,
  Live,
  type LiveListener,
  OPEN_TIMEOUT_MS,
  PING_AFTER_MS,
  PING_REPLY_MS,
  type Socket,
  STABLE_MS,
} from './live';

/** A socket that the test controls. */
class FakeSocket {
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  sent: { type: string; ref?: string }[] = [];
  isClosed = false;
  send = (text: string) => void this.sent.push(JSON.parse(text));
  close = () => {
    this.isClosed = true;
  };
  say(frame: object) {
    this.onmessage?.call(this as unknown as WebSocket, { data: JSON.stringify(frame) } as MessageEvent);
  }
  end(code: number) {
    this.onclose?.call(this as unknown as WebSocket, { code } as CloseEvent);
  }
  hello() {
    this.say({ type: 'hello', member_id: 'per_1', heartbeat_seconds: 20 });
  }
  confirm() {
    for (const { ref } of this.sent) if (ref) this.say({ type: 'ok', ref });
  }
}

const event = (position: string) =>
  ({ type: 'event', name: 'messaging.passed', data: {}, position, project_id: 'prj_1' }) as unknown as LogEvent;

const CHUNK = { type: 'chunk', project_id: 'prj_1', message_id: 'm', conversation_id: 'c', start: 0, text: 'x' };

describe('the live connection', () => {
  let sockets: FakeSocket[];
  let calls: string[];
  let live: Live;
  const socket = () => sockets.at(-1) as FakeSocket;
  const note =
    (what: string) =>
    (...given: unknown[]) =>
      void calls.push([what, ...given.map(String)].join(' '));

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    sockets = [];
    calls = [];
    const listener: LiveListener = {
      onState: (state) =>
        calls.push(state.state === 'waiting' ? `waiting ${state.attempt} ${state.retryAt}` : state.state),
      onOpen: note('open'),
      onEvents: (events) => calls.push(`events ${events.map((one) => one.position).join(' ')}`),
      onEphemeral: (frame) => calls.push(frame.type),
      onGap: note('gap'),
      onSignedOut: note('signed out'),
      onProjectLost: note('lost'),
      onUnopened: note('unopened'),
    };
    const open = () => {
      sockets.push(new FakeSocket());
      return socket() as unknown as Socket;
    };
    live = new Live(listener, open, () => 1);
    live.subscriptions.followMain('prj_1', 'A-1');
    live.start();
  });
  afterEach(() => {
    live.stop();
    vi.useRealTimers();
  });

  it('reports the member, follows the project, and delivers events', () => {
    socket().hello();
    expect(socket().sent.map(({ type }) => type)).toEqual(['presence', 'subscribe']);
    socket().confirm();
    socket().say({ type: 'live', project_id: 'prj_1', position: 'A-1' });
    socket().say(event('A-2'));
    socket().say(event('A-3'));
    socket().say(CHUNK);
    socket().say({ type: 'typing', project_id: 'prj_other', conversation_id: 'c', members: [] });
    expect(calls).toEqual(['connecting', 'live', 'open per_1', 'events A-2', 'events A-3', 'chunk']);
  });

  it('delivers missed events in one batch, before later ones', () => {
    socket().hello();
    socket().confirm();
    for (const position of ['A-2', 'A-3']) socket().say(event(position));
    expect(calls.at(-1)).toBe('open per_1');
    socket().say({ type: 'live', project_id: 'prj_1', position: 'A-3' });
    expect(calls.at(-1)).toBe('events A-2 A-3');
    socket().end(1012);
    vi.advanceTimersByTime(500);
    socket().hello();
    socket().confirm();
    socket().say(event('A-4'));
    socket().say(CHUNK);
    socket().say(event('A-5'));
    socket().end(1012);
    expect(calls.filter((one) => /events|chunk/.test(one)).slice(1)).toEqual(['events A-4', 'chunk', 'events A-5']);
  });

  it('delivers many missed events in several batches', () => {
    socket().hello();
    socket().confirm();
    for (let offset = 2; offset < BATCH_EVENTS_MAX + 2; offset += 1) socket().say(event(`A-${offset}`));
    expect(calls.at(-1)?.split(' ')).toHaveLength(BATCH_EVENTS_MAX + 1);
  });

  it('reconnects after longer and longer waits, from the last position', () => {
    socket().hello();
    socket().confirm();
    socket().say(event('A-2'));
    socket().say({ type: 'position', project_id: 'prj_1', position: 'A-5' });
    socket().end(1012);
    vi.advanceTimersByTime(500);
    socket().end(1006);
    vi.advanceTimersByTime(999);
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(1);
    socket().hello();
    expect(sockets).toHaveLength(3);
    expect(socket().sent[1]).toMatchObject({ type: 'subscribe', after: 'A-5' });
    expect(calls).toContain('waiting 1 500');
    expect(calls).toContain('waiting 2 1500');
  });

  it('reconnects at once after a stable connection', () => {
    socket().end(1006);
    vi.advanceTimersByTime(500);
    socket().hello();
    for (let spent = 0; spent < STABLE_MS; spent += 5_000) {
      vi.advanceTimersByTime(5_000);
      socket().say({ type: 'ok' });
    }
    socket().end(1006);
    expect(calls.at(-1)).toMatch(/^waiting 1 /);
  });

  it('pings a silent hub, and closes the connection without a reply', () => {
    socket().hello();
    vi.advanceTimersByTime(PING_AFTER_MS);
    expect(socket().sent.at(-1)?.type).toBe('ping');
    const first = socket();
    vi.advanceTimersByTime(PING_REPLY_MS);
    expect(first.isClosed).toBe(true);
    expect(calls.some((one) => one.startsWith('waiting'))).toBe(true);
    first.say(event('A-9'));
    expect(calls.join()).not.toContain('A-9');
  });

  it('gives up on a connection that never opens', () => {
    vi.advanceTimersByTime(OPEN_TIMEOUT_MS);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(calls).toContain('unopened');
  });

  it('stays open while frames arrive', () => {
    socket().hello();
    for (let spent = 0; spent < 200_000; spent += 15_000) {
      vi.advanceTimersByTime(15_000);
      socket().say({ type: 'position', project_id: 'prj_1', position: 'A-2' });
    }
    expect(sockets).toHaveLength(1);
  });

  it('stays open in a hidden page, whose timers run rarely', () => {
    socket().hello();
    for (let minute = 1; minute < 5; minute += 1) {
      vi.setSystemTime(minute * 60_000);
      vi.advanceTimersByTime(5_000);
      if (socket().sent.at(-1)?.type === 'ping') socket().say({ type: 'ok' });
    }
    expect([sockets.length, socket().sent.filter(({ type }) => type === 'ping').length]).toEqual([1, 4]);
  });

  it('reconnects on request, and closes a socket that does not reply soon', () => {
    socket().end(1006);
    live.tryNow();
    expect(sockets).toHaveLength(2);
    socket().hello();
    live.tryNow();
    expect(socket().sent.at(-1)?.type).toBe('ping');
    vi.advanceTimersByTime(DOUBTFUL_REPLY_MS + 5_000);
    expect(sockets[1]?.isClosed).toBe(true);
  });

  it('keeps a doubtful socket that replies', () => {
    socket().hello();
    live.tryNow();
    socket().say({ type: 'ok' });
    vi.advanceTimersByTime(DOUBTFUL_REPLY_MS + 5_000);
    expect(sockets).toHaveLength(1);
  });

  it('does not reconnect after a sign-out', () => {
    socket().hello();
    socket().end(4401);
    vi.advanceTimersByTime(100_000);
    expect([calls.at(-1), sockets.length]).toEqual(['signed out', 1]);
  });

  it('reports a lost project and reconnects', () => {
    socket().hello();
    socket().end(4403);
    expect(calls.at(-1)).toBe('lost undefined');
    vi.advanceTimersByTime(500);
    socket().hello();
    socket().say({ type: 'refused', ref: socket().sent[1]?.ref, code: 'PARLOUR-N01' });
    expect(calls.at(-1)).toBe('lost prj_1');
  });

  it('waits longer after it sent too many frames', () => {
    socket().hello();
    socket().end(4429);
    expect(calls.at(-1)).toBe('waiting 1 10000');
  });

  it('reports a gap, and ignores unreadable frames', () => {
    socket().hello();
    socket().confirm();
    socket().onmessage?.call(socket() as unknown as WebSocket, { data: '{"type"' } as MessageEvent);
    socket().say({ type: 'gap', project_id: 'prj_1', reason: 'expired', position: 'A-50' });
    expect(calls.at(-1)).toBe('gap prj_1');
  });

  it('sends nothing while it is not connected', () => {
    expect(live.send({ type: 'typing' })).toBe(false);
    socket().hello();
    expect(live.send({ type: 'typing' })).toBe(true);
    live.giveUp();
    expect(live.send({ type: 'typing' })).toBe(false);
  });
});
