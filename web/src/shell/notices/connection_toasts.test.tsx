import { cleanup, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Toasts } from '../../parts/toast/Toast';
import type { Connection } from '../../state/contract';
import { toastConnectionChanges } from './connection_toasts';

const [connection, setConnection] = createSignal<Connection>({ state: 'connecting' });

function Page() {
  toastConnectionChanges(connection);
  return <Toasts />;
}

const LOST = /Connection lost/;
const BACK = 'Connected again.';

describe('toasts about the connection', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    setConnection({ state: 'connecting' });
    render(() => <Page />);
  });
  afterEach(() => {
    cleanup();
    vi.runAllTimers();
    vi.useRealTimers();
  });

  it('are not shown for the first connection', () => {
    vi.advanceTimersByTime(60_000);
    setConnection({ state: 'live' });
    expect(screen.queryByText(LOST)).toBeNull();
    expect(screen.queryByText(BACK)).toBeNull();
  });

  it('are not shown for a loss of less than a second', () => {
    setConnection({ state: 'live' });
    setConnection({ state: 'waiting', attempt: 1, retryAt: 500 });
    vi.advanceTimersByTime(900);
    setConnection({ state: 'live' });
    vi.advanceTimersByTime(900);
    expect(screen.queryByText(LOST)).toBeNull();
    expect(screen.queryByText(BACK)).toBeNull();
  });

  it('report a loss over several attempts once, then the reconnection', () => {
    setConnection({ state: 'live' });
    setConnection({ state: 'waiting', attempt: 1, retryAt: 500 });
    vi.advanceTimersByTime(600);
    setConnection({ state: 'connecting' });
    vi.advanceTimersByTime(600);
    expect(screen.getAllByText(LOST)).toHaveLength(1);
    setConnection({ state: 'live' });
    expect(screen.queryByText(LOST)).toBeNull();
    expect(screen.getByText(BACK)).toBeTruthy();
  });
});
