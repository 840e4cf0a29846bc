import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal, type JSX, Show } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { takesFocus } from '../../platform/focus';
import { Dialog } from './Dialog';

afterEach(cleanup);

function renderOpener(content: () => JSX.Element, footer?: () => JSX.Element) {
  const [isOpen, setOpen] = createSignal(false);
  render(() => (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Show when={isOpen()}>
        <Dialog title="Edit the channel" about="Only its topic." onClose={() => setOpen(false)} footer={footer?.()}>
          {content()}
        </Dialog>
      </Show>
    </>
  ));
  const opener = screen.getByRole('button', { name: 'Open' });
  opener.focus();
  fireEvent.click(opener);
  return opener;
}

const dialog = () => screen.queryByRole('dialog');

test('it is called by its title and gives the focus to its first field', () => {
  renderOpener(() => <input aria-label="Topic" />);
  expect(screen.getByRole('dialog', { name: 'Edit the channel' })).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByLabelText('Topic'));
});

test('without a field the first button of its foot has the focus', () => {
  renderOpener(
    () => <p>Sure?</p>,
    () => <button type="button">Cancel</button>,
  );
  expect(document.activeElement?.textContent).toBe('Cancel');
});

test('when it closes the focus returns to what opened it', () => {
  const opener = renderOpener(() => <input aria-label="Topic" />);
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(dialog()).toBeNull();
  expect(document.activeElement).toBe(opener);
});

test('Escape closes it', () => {
  renderOpener(() => <p>Hello</p>);
  const element = dialog();
  if (element) fireEvent(element, new Event('cancel', { cancelable: true }));
  expect(dialog()).toBeNull();
});

test('a press beside it closes it, but not once something was typed', () => {
  renderOpener(() => <input aria-label="Topic" />);
  const element = screen.getByRole('dialog');
  fireEvent.input(screen.getByLabelText('Topic'), { target: { value: 'Ship' } });
  fireEvent.mouseDown(element);
  expect(dialog()).not.toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  fireEvent.click(screen.getByRole('button', { name: 'Open' }));
  fireEvent.mouseDown(screen.getByRole('dialog'));
  expect(dialog()).toBeNull();
});

test('when the opening element is gone, the messages get the focus', () => {
  const take = vi.fn();
  const end = takesFocus('messages', 'chn_general', take);
  const opener = renderOpener(() => <p>Hello</p>);
  opener.remove();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(take).toHaveBeenCalledOnce();
  end();
});
