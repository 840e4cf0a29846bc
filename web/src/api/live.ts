/**
 * The live connection: subscribes to projects over `/live`, resumes after the last position and reconnects by itself.
 *
 * Delivers every event of the main project once and in order, or reports a gap. `docs/live.md` describes the frames.
 */
import { RECONNECT, waitBefore } from './backoff';
import type { EphemeralFrame, Frame, LogEvent } from './events';
import { Subscriptions } from './subscriptions';

/** After this long without a frame the connection is checked with a ping. Browsers hide the hub's own heartbeats. */
export const PING_AFTER_MS = 20_000;
/**
 * Time for the reply to a ping; shorter when the socket is in doubt because the page woke up or the network changed.
 */
export const PING_REPLY_MS = 20_000;
export const DOUBTFUL_REPLY_MS = 5_000;
/** A connection that is not open by then has failed. */
export const OPEN_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 5_000;
/** Missed events are delivered in batches of at most this size, so that the page renders once per batch. */
export const BATCH_EVENTS_MAX = 500;
/** After a connection that lasted this long, the first reconnect follows at once. */
export const STABLE_MS = 10_000;
/** Minimum wait after the hub has closed the connection because of too many frames. */
const TOO_FAST_WAIT_MS = 10_000;

const CODES = { signedOut: 4401, projectLost: 4403, tooFast: 4429 };

/** The part of `WebSocket` that is used. */
export type Socket = Pick<WebSocket, 'onmessage' | 'onclose' | 'send' | 'close'>;

export type LiveState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'waiting'; attempt: number; retryAt: number };

export interface LiveListener {
  onState(state: LiveState): void;
  /** Events in order: a single one, or a batch of missed ones. */
  onEvents(events: readonly LogEvent[]): void;
  onEphemeral(frame: EphemeralFrame): void;
  /** Events of the main project were lost: load its snapshot. */
  onGap(projectId: string): void;
  /** The connection is open for this member. Ephemeral frames and events of other projects may have been missed. */
  onOpen(memberId: string): void;
  onSignedOut(): void;
  /** The reader lost access to a project; the hub does not always name it. */
  onProjectLost(projectId: string | undefined): void;
  /** The connection could not be opened. Browsers hide the reason; perhaps nobody is signed in. */
  onUnopened(): void;
}

export class Live {
  #socket: Socket | undefined;
  #isWanted = false;
  #isOpen = false;
  #attempt = 0;
  #lastFrameAt = 0;
  #openedAt = 0;
  /** The time at which the socket counts as dead unless a frame arrives. */
  #deadAt: number | undefined;
  /** The batch of missed events that is being received; a `live` frame ends it. */
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

  /** Reconnects now instead of later, or pings an open connection. */
  tryNow(): void {
    if (!this.#isWanted) return;
    if (this.#isOpen) this.#ask(DOUBTFUL_REPLY_MS);
    else if (!this.#socket) this.#connect();
  }

  /** Closes the connection without waiting for the socket to time out. */
  giveUp(): void {
    if (this.#socket) this.#lose(undefined);
  }

  /** Sends a frame if the connection is open; returns whether it was sent. */
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
    this.#lastFrameAt = Date.now();
    this.#deadAt = Date.now() + OPEN_TIMEOUT_MS;
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#receive(String(data));
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lose(code);
    };
    this.#watch = setInterval(() => this.#look(), CHECK_INTERVAL_MS);
  }

  #receive(text: string): void {
    this.#lastFrameAt = Date.now();
    this.#deadAt = undefined;
    const frame = read(text);
    if (frame?.type === 'event') this.#gather(frame);
    else if (frame) this.#take(frame);
  }

  #gather(event: LogEvent): void {
    if (!this.subscriptions.accepts(event.project_id, event.position)) return;
    this.#portion.push(event);
    const isLate = this.subscriptions.isCatchingUp(event.project_id);
    if (!isLate || this.#portion.length >= BATCH_EVENTS_MAX) this.#handOver();
  }

  /** Delivers pending events before anything that came after them. */
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
        if (this.subscriptions.accepts(frame.project_id, frame.position)) this.listener.onGap(frame.project_id);
        return;
      case 'live':
        this.subscriptions.catchUp(frame.project_id);
        this.subscriptions.accepts(frame.project_id, frame.position);
        return;
      case 'position':
        this.subscriptions.accepts(frame.project_id, frame.position);
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
        if (this.subscriptions.accepts(frame.project_id)) this.listener.onEphemeral(frame);
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

  /** Timers of hidden pages run late: silence alone proves nothing, only an unanswered ping does. */
  #look(): void {
    const now = Date.now();
    if (this.#deadAt !== undefined && now >= this.#deadAt) this.#lose(undefined);
    else if (this.#deadAt === undefined && now - this.#lastFrameAt >= PING_AFTER_MS) this.#ask(PING_REPLY_MS);
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
    this.#retryLater(code === CODES.tooFast ? TOO_FAST_WAIT_MS : 0);
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
