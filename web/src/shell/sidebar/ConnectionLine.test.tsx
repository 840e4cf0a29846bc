import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { fakeStore } from '../../state/testing/fixtures';
import { ConnectionLine } from './ConnectionLine';

const [connection, setConnection] = createSignal<Connection>({ state: 'live' });
const store = fakeStore({ connection });

describe('the line of the connection', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    setConnection({ state: 'live' });
    render(() => (
      <StoreContext.Provider value={store}>
        <ConnectionLine />
      </StoreContext.Provider>
    ));
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  it('says that the page is connected, and offers nothing', () => {
    expect(screen.getByText('Connected')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('counts the seconds until the next try', () => {
    setConnection({ state: 'waiting', attempt: 3, retryAt: 8_000 });
    expect(screen.getByText('Reconnecting, try 3 in 8 s')).toBeTruthy();
    vi.advanceTimersByTime(3_000);
    expect(screen.getByText('Reconnecting, try 3 in 5 s')).toBeTruthy();
  });

  it('keeps its own line from the loss to the return, whatever is tried between', () => {
    const isLost = () => document.querySelector('.connection')?.hasAttribute('data-lost');
    setConnection({ state: 'connecting' });
    expect(isLost()).toBe(false);
    setConnection({ state: 'waiting', attempt: 1, retryAt: 8_000 });
    expect(isLost()).toBe(true);
    setConnection({ state: 'connecting' });
    expect(isLost()).toBe(true);
    setConnection({ state: 'live' });
    expect(isLost()).toBe(false);
  });

  it('tries at once when asked', () => {
    setConnection({ state: 'waiting', attempt: 1, retryAt: 8_000 });
    fireEvent.click(screen.getByRole('button', { name: 'Try now' }));
    expect(store.asked.map((one) => one.name)).toEqual(['reconnect']);
  });
});
