/**
 * The live connection: follows projects over `/live`, resumes after the last position, and comes back by itself.
 *
 * It promises its listener every event of the followed project once and in order, or a gap. It does not know what events
 * mean. `docs/live.md` describes the frames.
 */
import { RECONNECT, waitBefore } from './backoff';
import type { EphemeralFrame, Frame, LogEvent } from './events';
import { Subscriptions } from './subscriptions';

/** Silence after which the hub is asked for a sign of life. Its own heartbeats are not shown to pages. */
export const SILENCE_ASK_MS = 20_000;
/** How long it has to answer, and how long when there is reason to doubt the socket: the page woke, the network changed. */
export const ANSWER_MS = 20_000;
export const DOUBT_MS = 5_000;
/** A connection that is not open by then will not be. */
export const OPEN_MS = 30_000;
const WATCH_EVERY_MS = 5_000;
/** Missed events are handed over together, up to so many at once: whoever shows them does so once. */
export const PORTION_MAX = 500;
/** A connection that lasted this long was a good one: the next loss is tried again at once. */
export const STABLE_MS = 10_000;
/** The least wait after the hub said that this page talks too much. */
const TOO_FAST_MS = 10_000;

const CODES = { signedOut: 4401, projectLost: 4403, tooFast: 4429 };

/** What is needed of a `WebSocket`. */
export type Socket = Pick<WebSocket, 'onmessage' | 'onclose' | 'send' | 'close'>;

export type LiveState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'waiting'; attempt: number; retryAt: number };

export interface LiveListener {
  onState(state: LiveState): void;
  /** Events in order: one, or many that were missed. */
  onEvents(events: readonly LogEvent[]): void;
  onEphemeral(frame: EphemeralFrame): void;
  /** Events of the main project are missing: load its snapshot. */
  onGap(projectId: string): void;
  /** The connection is there, and this member's. What is of the moment, or of other projects, may have been missed. */
  onOpen(memberId: string): void;
  onSignedOut(): void;
  /** The reader may no longer read a project; which one is not always told. */
  onProjectLost(projectId: string | undefined): void;
  /** The connection could not be opened. The reason is not told to pages: perhaps nobody is signed in. */
  onUnopened(): void;
}

export class Live {
  #socket: Socket | undefined;
  #isWanted = false;
  #isOpen = false;
  #attempt = 0;
  #heardAt = 0;
  #openedAt = 0;
  /** When the socket counts as dead, unless something is heard. */
  #deadAt: number | undefined;
  /** What was missed and is being told: it ends with a `live` frame. */
  #portion: LogEvent[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  readonly subscriptions = new Subscriptions((frame) => this.send(frame));

  constructor(
    private readonly listener: LiveListener,
    private readonly open: () => Socket = openSocket,
    private readonly random: () => number = Math.random,
  ) {}

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#attempt = 0;
    this.#connect();
  }

  stop(): void {
    this.#isWanted = false;
    clearTimeout(this.#retry);
    this.#drop();
  }

  /** Tries now instead of later. A connection that is there is asked for a sign of life. */
  tryNow(): void {
    if (!this.#isWanted) return;
    if (this.#isOpen) this.#ask(DOUBT_MS);
    else if (!this.#socket) this.#connect();
  }

  /** The way to the hub is known to be gone: does not wait for the socket to find out. */
  giveUp(): void {
    if (this.#socket) this.#lose(undefined);
  }

  /** Says something to the hub, if it is there; frames of this page need no answer. */
  send(frame: object): boolean {
    if (!this.#isOpen) return false;
    this.#socket?.send(JSON.stringify(frame));
    return true;
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.listener.onState({ state: 'connecting' });
    const socket = this.open();
    this.#socket = socket;
    this.#heardAt = Date.now();
    this.#deadAt = Date.now() + OPEN_MS;
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#hear(String(data));
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lose(code);
    };
    this.#watch = setInterval(() => this.#look(), WATCH_EVERY_MS);
  }

  #hear(text: string): void {
    this.#heardAt = Date.now();
    this.#deadAt = undefined;
    const frame = read(text);
    if (frame?.type === 'event') this.#gather(frame);
    else if (frame) this.#take(frame);
  }

  #gather(event: LogEvent): void {
    if (!this.subscriptions.hears(event.project_id, event.position)) return;
    this.#portion.push(event);
    const isLate = this.subscriptions.isCatchingUp(event.project_id);
    if (!isLate || this.#portion.length >= PORTION_MAX) this.#handOver();
  }

  /** Nothing that comes after an event is told before it. */
  #handOver(): void {
    const events = this.#portion;
    this.#portion = [];
    if (events.length > 0) this.listener.onEvents(events);
  }

  #take(frame: Exclude<Frame, { type: 'event' }>): void {
    this.#handOver();
    switch (frame.type) {
      case 'hello':
        this.#welcome(frame.member_id);
        return;
      case 'gap':
        if (this.subscriptions.hears(frame.project_id, frame.position)) this.listener.onGap(frame.project_id);
        return;
      case 'live':
        this.subscriptions.catchUp(frame.project_id);
        this.subscriptions.hears(frame.project_id, frame.position);
        return;
      case 'position':
        this.subscriptions.hears(frame.project_id, frame.position);
        return;
      case 'ok':
        this.subscriptions.confirm(frame.ref ?? undefined);
        return;
      case 'refused': {
        const lost = this.subscriptions.refuse(frame.ref ?? undefined);
        if (lost) this.listener.onProjectLost(lost);
        return;
      }
      default:
        if (this.subscriptions.hears(frame.project_id)) this.listener.onEphemeral(frame);
    }
  }

  #welcome(memberId: string): void {
    this.#isOpen = true;
    this.#openedAt = Date.now();
    this.send({ type: 'presence', state: 'idle' });
    this.subscriptions.begin();
    this.listener.onState({ state: 'live' });
    this.listener.onOpen(memberId);
  }

  /** Clocks of hidden pages are slow: silence alone proves nothing, only a question without an answer does. */
  #look(): void {
    const now = Date.now();
    if (this.#deadAt !== undefined && now >= this.#deadAt) this.#lose(undefined);
    else if (this.#deadAt === undefined && now - this.#heardAt >= SILENCE_ASK_MS) this.#ask(ANSWER_MS);
  }

  #ask(answerMs: number): void {
    this.#deadAt = Math.min(this.#deadAt ?? Number.POSITIVE_INFINITY, Date.now() + answerMs);
    this.send({ type: 'ping' });
  }

  #lose(code: number | undefined): void {
    const wasOpen = this.#isOpen;
    if (wasOpen && Date.now() - this.#openedAt >= STABLE_MS) this.#attempt = 0;
    this.#drop();
    if (code === CODES.signedOut) this.#isWanted = false;
    this.#retryLater(code === CODES.tooFast ? TOO_FAST_MS : 0);
    if (code === CODES.signedOut) this.listener.onSignedOut();
    else if (code === CODES.projectLost) this.listener.onProjectLost(undefined);
    else if (!wasOpen) this.listener.onUnopened();
  }

  #retryLater(leastMs: number): void {
    if (!this.#isWanted) return;
    this.#attempt += 1;
    const wait = Math.max(leastMs, waitBefore(this.#attempt, RECONNECT, this.random()));
    this.listener.onState({ state: 'waiting', attempt: this.#attempt, retryAt: Date.now() + wait });
    this.#retry = setTimeout(() => this.#connect(), wait);
  }

  #drop(): void {
    clearInterval(this.#watch);
    this.#handOver();
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isOpen = false;
    this.#deadAt = undefined;
    this.subscriptions.pause();
    socket?.close();
  }
}

function read(text: string): Frame | undefined {
  try {
    return JSON.parse(text) as Frame;
  } catch {
    return undefined;
  }
}

function openSocket(): Socket {
  const address = new URL('/live', location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  return new WebSocket(address);
}
