/** Sends the outbox: one tab at a time, one message after another, with retries while the hub is unreachable. */
import { type Backoff, waitBefore } from '../../api/backoff';
import type { PostedMessage, PostMessage } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import type { Outgoing } from '../contract';
import { isWorthWaiting, nextToSend, postOf } from './outbox';
import type { OutboxStore } from './outbox_store';

export const RESEND: Backoff = { firstMs: 1_000, maxMs: 30_000 };

export interface SenderParts {
  post(message: Partial<PostMessage>): Promise<PostedMessage>;
  /** The hub stored it. The message list must contain it before the outgoing one is removed. */
  onPosted(posted: PostedMessage): Promise<void>;
  /** Runs a function in one tab at a time; at once where the browser has no locks. */
  exclusively(act: () => Promise<void>): Promise<void>;
  /** False while the hub is known to be unreachable; `wake` ends that. */
  isReachable(): boolean;
  random?: () => number;
}

export class Sender {
  #isRunning = false;
  #isAsked = false;
  #isOn = false;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly outbox: OutboxStore,
    private readonly parts: SenderParts,
  ) {}

  /** Starts sending, until `stop`. */
  start(): void {
    this.#isOn = true;
    this.wake();
  }

  stop(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  /** There is something to send, or the hub can be reached again: sends at once. */
  wake(): void {
    clearTimeout(this.#timer);
    if (!this.#isOn) return;
    this.#isAsked = this.parts.isReachable();
    if (!this.#isAsked) this.#timer = setTimeout(() => this.wake(), RESEND.maxMs);
    else if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isAsked && this.#isOn) {
      this.#isAsked = false;
      if (nextToSend(this.outbox.all(), new Set())) await this.parts.exclusively(() => this.#sendAll());
    }
    this.#isRunning = false;
  }

  /** Sends all messages; a conversation with a failure waits. */
  async #sendAll(): Promise<void> {
    const mustWait = new Set<string>();
    let leastMs = 0;
    for (;;) {
      const one = this.#isOn ? nextToSend(this.outbox.all(), mustWait) : undefined;
      if (!one) break;
      const refusal = await this.#send(one);
      if (refusal) mustWait.add(one.conversationId);
      leastMs = Math.max(leastMs, (refusal?.more.retryAfterSeconds ?? 0) * 1_000);
      // While the hub is unreachable or limits the rate, other messages would fail too.
      if (refusal && (refusal.isUnreachable || refusal.more.status === 429 || refusal.more.status === 401)) break;
    }
    if (mustWait.size === 0) this.#attempt = 0;
    else this.#later(leastMs);
  }

  /** Returns why a message has to wait; undefined when it was stored or refused permanently. */
  async #send(one: Outgoing): Promise<Refusal | undefined> {
    if (!this.outbox.isStored(one.id)) {
      this.outbox.drop(one.id);
      return undefined;
    }
    this.outbox.setStatus(one.id, { state: 'sending' });
    try {
      await this.parts.onPosted(await this.parts.post(postOf(one)));
      return undefined;
    } catch (thrown) {
      const refusal = toRefusal(thrown);
      const mayWait = isWorthWaiting(refusal);
      this.outbox.setStatus(one.id, mayWait ? { state: 'waiting' } : { state: 'refused', refusal });
      return mayWait ? refusal : undefined;
    }
  }

  #later(leastMs: number): void {
    this.#attempt += 1;
    const wait = Math.max(leastMs, waitBefore(this.#attempt, RESEND, (this.parts.random ?? Math.random)()));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), wait);
  }
}

/** Uses the locks of the browser. */
export function withLock(name: string): SenderParts['exclusively'] {
  return async (act) => {
    if (!navigator.locks) return act();
    await navigator.locks.request(name, act);
  };
}
