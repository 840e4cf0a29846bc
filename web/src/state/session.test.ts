import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Me } from '../api/model';
import { Refusal, unreachable } from '../api/refusal';
import { SessionController } from './session';

const ME: Me = { member_id: 'per_mara', name: 'Mara', role: 'person', scopes: [] };
const nobody = () =>
  Promise.reject(new Refusal('PARLOUR-A01', 'You are not signed in. Sign in again.', { status: 401 }));

describe('the session', () => {
  let calls: string[];
  let me: () => Promise<Me>;
  let keeper: SessionController;
  beforeEach(() => {
    vi.useFakeTimers();
    calls = [];
    me = async () => ME;
    keeper = new SessionController({
      hub: {
        me: () => me(),
        signIn: async (name) => ({ ...ME, name }),
        signOut: async () => {},
      },
      onEnter: (one) => calls.push(`enter ${one.name} while ${keeper.session().state}`),
      onLeave: (isIntended) => calls.push(isIntended ? 'leave' : 'thrown out'),
      onUnreachable: (state) => calls.push(state.state),
    });
  });
  afterEach(() => vi.useRealTimers());

  it('is that of the cookie', async () => {
    await keeper.ask();
    expect([keeper.session(), keeper.me()]).toEqual([{ state: 'signed_in', me: ME }, ME]);
    expect(calls).toEqual(['enter Mara while asking']);
  });

  it('is signed out without one', async () => {
    me = nobody;
    await keeper.ask();
    expect(keeper.session()).toEqual({ state: 'signed_out' });
    expect(() => keeper.me()).toThrow(Refusal);
  });

  it('is asked for until the hub answers', async () => {
    me = () => Promise.reject(unreachable());
    await keeper.ask();
    expect([keeper.session().state, calls]).toEqual(['asking', ['waiting']]);
    me = async () => ME;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(keeper.session().state).toBe('signed_in');
  });

  it('remembers who was there when it ends, once', async () => {
    await keeper.ask();
    keeper.end();
    keeper.end();
    expect([keeper.session(), calls.slice(1)]).toEqual([{ state: 'signed_out', was: 'Mara' }, ['thrown out']]);
    await keeper.signIn('Mara', 'secret');
    expect(keeper.session().state).toBe('signed_in');
  });

  it('forgets the name after a requested sign-out', async () => {
    await keeper.ask();
    await keeper.signOut();
    expect([keeper.session(), calls.at(-1)]).toEqual([{ state: 'signed_out' }, 'leave']);
  });

  it('follows a new name of the reader, and of nobody else', async () => {
    await keeper.ask();
    keeper.rename('per_tobias', 'Toby');
    keeper.rename('per_mara', 'Marah');
    expect(keeper.me().name).toBe('Marah');
  });
});
