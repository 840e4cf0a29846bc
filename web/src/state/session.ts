/** The session of this browser: requested at the start, updated when the hub rejects it. */
import { createSignal, untrack } from 'solid-js';
import { RECONNECT, waitBefore } from '../api/backoff';
import { NOBODY_SIGNED_IN } from '../api/client';
import type { Hub } from '../api/hub';
import type { Me } from '../api/model';
import { Refusal, toRefusal } from '../api/refusal';
import type { Connection, Session } from './contract';

export interface SessionParts {
  readonly hub: Pick<Hub, 'me' | 'signIn' | 'signOut'>;
  onEnter(me: Me): void;
  /** The session ended; `isWished` when the reader signed out. */
  onLeave(isIntended: boolean): void;
  /** The hub is unreachable; the next attempt follows. */
  onUnreachable(state: Connection): void;
}

export class SessionController {
  readonly #session = createSignal<Session>({ state: 'asking' });
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: SessionParts) {}

  /** A signal. */
  session = (): Session => this.#session[0]();

  /** Returns the signed-in person; throws without one. */
  me(): Me {
    const session = untrack(this.session);
    if (session.state !== 'signed_in') throw new Refusal('PAGE', 'You are not signed in. Sign in again.');
    return session.me;
  }

  /** Requests the session until the hub answers. */
  async ask(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      this.#enter(await this.parts.hub.me());
    } catch (thrown) {
      if (toRefusal(thrown).code === NOBODY_SIGNED_IN) this.end();
      else this.#askLater();
    }
  }

  async signIn(name: string, password: string): Promise<void> {
    this.#enter(await this.parts.hub.signIn(name, password));
  }

  async signOut(): Promise<void> {
    await this.parts.hub.signOut();
    this.#session[1]({ state: 'signed_out' });
    this.parts.onLeave(true);
  }

  /** The hub rejected the session. */
  end(): void {
    const session = untrack(this.session);
    if (session.state === 'signed_out') return;
    this.#session[1]({ state: 'signed_out', ...(session.state === 'signed_in' ? { was: session.me.name } : {}) });
    this.parts.onLeave(false);
  }

  /** A person was renamed; perhaps the reader. */
  rename(memberId: string, name: string): void {
    const session = untrack(this.session);
    if (session.state !== 'signed_in' || session.me.member_id !== memberId || session.me.name === name) return;
    this.#session[1]({ state: 'signed_in', me: { ...session.me, name } });
  }

  #enter(me: Me): void {
    this.#attempt = 0;
    // The state of the member exists before the session signal changes.
    this.parts.onEnter(me);
    this.#session[1]({ state: 'signed_in', me });
  }

  #askLater(): void {
    this.#attempt += 1;
    const wait = waitBefore(this.#attempt, RECONNECT, Math.random());
    this.parts.onUnreachable({ state: 'waiting', attempt: this.#attempt, retryAt: Date.now() + wait });
    this.#retry = setTimeout(() => void this.ask(), wait);
  }
}
