import { cleanup, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../testing';
import { keepFocusInside } from './drawer_focus';

const [isOpen, setOpen] = createSignal(false);

function Page(props: { isEmpty?: boolean }) {
  let drawer: HTMLElement | undefined;
  keepFocusInside(isOpen, () => drawer);
  return (
    <>
      <button type="button">Opener</button>
      <nav ref={drawer} tabindex="-1" aria-label="Drawer">
        {props.isEmpty ? undefined : <button type="button">Inside</button>}
      </nav>
    </>
  );
}
const focused = () => document.activeElement?.textContent;

beforeEach(() => setOpen(false));
afterEach(cleanup);

describe('a drawer', () => {
  it('takes the focus when it opens, and gives it back', async () => {
    render(() => <Page />);
    screen.getByText('Opener').focus();
    setOpen(true);
    await settled();
    expect(focused()).toBe('Inside');
    setOpen(false);
    await settled();
    expect(focused()).toBe('Opener');
  });

  it('takes it itself while there is nothing inside', async () => {
    render(() => <Page isEmpty />);
    setOpen(true);
    await settled();
    expect(document.activeElement).toBe(screen.getByRole('navigation'));
  });

  it('leaves the focus where it is when it moved elsewhere', async () => {
    render(() => (
      <>
        <Page />
        <button type="button">Elsewhere</button>
      </>
    ));
    screen.getByText('Opener').focus();
    setOpen(true);
    await settled();
    screen.getByText('Elsewhere').focus();
    setOpen(false);
    await settled();
    expect(focused()).toBe('Elsewhere');
  });
});
