import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal, Show } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runShortcut } from '../../platform/shortcuts';
import { settled } from '../testing';
import { PaneFrame } from './PaneFrame';
import { PaneHead } from './PaneHead';
import { setPaneWidth } from './pane_width';

const [isOpen, setOpen] = createSignal(false);

function Page() {
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Show when={isOpen()}>
        <PaneFrame label="Details" onClose={() => setOpen(false)}>
          <PaneHead onClose={() => setOpen(false)}>
            <h2>Details</h2>
          </PaneHead>
        </PaneFrame>
      </Show>
    </>
  );
}

beforeEach(() => {
  setOpen(false);
  setPaneWidth(336);
  render(() => <Page />);
  const opener = screen.getByRole('button', { name: 'Open' });
  opener.focus();
  fireEvent.click(opener);
});
afterEach(cleanup);

describe('the pane', () => {
  it('is a landmark with a name, and leaves the focus where it was', () => {
    expect(screen.getByRole('complementary', { name: 'Details' })).toBeTruthy();
    expect(document.activeElement?.textContent).toBe('Open');
  });

  it('closes by Escape anywhere on the page', () => {
    expect(runShortcut('close')).toBe(true);
    expect(screen.queryByRole('complementary')).toBeNull();
  });

  it('returns the focus to what opened it, when it had it', async () => {
    const close = screen.getByRole('button', { name: 'Close the pane' });
    close.focus();
    fireEvent.click(close);
    await settled();
    expect(document.activeElement?.textContent).toBe('Open');
  });

  it('is made wider and narrower by keys on its edge', () => {
    const edge = screen.getByRole('separator', { name: 'Width of the pane' });
    fireEvent.keyDown(edge, { key: 'ArrowLeft' });
    expect(edge.getAttribute('aria-valuenow')).toBe('352');
    fireEvent.keyDown(edge, { key: 'End' });
    expect(edge.getAttribute('aria-valuenow')).toBe('560');
    fireEvent.keyDown(edge, { key: 'Home' });
    expect(edge.getAttribute('aria-valuenow')).toBe('320');
  });
});
