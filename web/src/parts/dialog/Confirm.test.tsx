import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../api/refusal';
import { Confirm } from './Confirm';

afterEach(cleanup);

function ask(onConfirm: () => Promise<unknown>) {
  const onClose = vi.fn();
  render(() => (
    <Confirm title="Delete the message" act="Delete" onConfirm={onConfirm} onClose={onClose}>
      It cannot be undone.
    </Confirm>
  ));
  return onClose;
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('the safe answer has the focus', () => {
  ask(async () => {});
  expect(document.activeElement?.textContent).toBe('Cancel');
});

test('what was confirmed is done, then it closes', async () => {
  const onConfirm = vi.fn(async () => {});
  const onClose = ask(onConfirm);
  press('Delete');
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(onConfirm).toHaveBeenCalledOnce();
});

test('a refusal is shown, and the dialog stays open', async () => {
  const onClose = ask(() => Promise.reject(new Refusal('PARLOUR-A02', 'You may not delete it.')));
  press('Delete');
  expect((await screen.findByRole('alert')).textContent).toContain('You may not delete it.');
  expect(onClose).not.toHaveBeenCalled();
});

test('cancelling does nothing', () => {
  const onConfirm = vi.fn(async () => {});
  const onClose = ask(onConfirm);
  press('Cancel');
  expect(onConfirm).not.toHaveBeenCalled();
  expect(onClose).toHaveBeenCalledOnce();
});
