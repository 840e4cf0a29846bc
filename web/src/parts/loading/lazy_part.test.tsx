import { cleanup, render, screen } from '@solidjs/testing-library';
import { createSignal, Show } from 'solid-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lazyPart, preloadLazyParts } from './lazy_part';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('a lazy component', () => {
  it('is shown once it is loaded', async () => {
    const Part = lazyPart(async () => (props: { name: string }) => <p>Hello {props.name}</p>);
    render(() => <Part name="Mara" />);
    expect(await screen.findByText('Hello Mara')).toBeTruthy();
  });

  it('is shown to all waiting owners, also when the first one was removed', async () => {
    let come: (part: () => string) => void = () => {};
    const Part = lazyPart(() => new Promise<() => string>((resolve) => (come = resolve)));
    const [isThere, setThere] = createSignal(true);
    render(() => (
      <>
        <Show when={isThere()}>
          <Part />
        </Show>
        <p>
          <Part />
        </p>
      </>
    ));
    setThere(false);
    come(() => 'Hello');
    expect(await screen.findByText('Hello')).toBeTruthy();
  });

  it('reports that it could not be loaded, and offers a reload', async () => {
    const Part = lazyPart(() => Promise.reject(new Error('gone')));
    render(() => <Part />);
    expect(await screen.findByRole('button', { name: 'Reload the page' })).toBeTruthy();
  });

  it('is preloaded after a while', () => {
    vi.useFakeTimers();
    const load = vi.fn(async () => () => null);
    lazyPart(load);
    render(() => {
      preloadLazyParts();
      return null;
    });
    expect(load).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(load).toHaveBeenCalledOnce();
  });
});
