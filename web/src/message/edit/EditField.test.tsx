import { fireEvent } from '@solidjs/testing-library';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../api/refusal';
import { type RowOptions, renderRow } from '../testing';
import { isEdited, startEditing, stopEditing } from './edit_state';

afterEach(() => void stopEditing());

async function renderEdited(options: RowOptions = {}) {
  const row = renderRow(options);
  startEditing('msg_1');
  return { ...row, field: (await row.findByLabelText('Edit the message')) as HTMLTextAreaElement };
}

const type = (field: HTMLTextAreaElement, value: string) => fireEvent.input(field, { target: { value } });

test('the text becomes a field with the focus', async () => {
  const { field, article } = await renderEdited();
  expect(field.value).toBe('Hello');
  expect(document.activeElement).toBe(field);
  expect(article.querySelector('.message-bubble')).toBeNull();
});

test('Enter saves, Shift+Enter does not', async () => {
  const { field, store } = await renderEdited();
  type(field, 'Hello again');
  fireEvent.keyDown(field, { key: 'Enter', shiftKey: true });
  expect(store.asked).toEqual([]);
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(store.asked).toEqual([{ name: 'edit', with: ['msg_1', 'Hello again'] }]);
  await vi.waitFor(() => expect(isEdited('msg_1')).toBe(false));
});

describe('Escape and an unchanged text end editing without a request', () => {
  test.each(['Escape', 'Enter'])('%s', async (key) => {
    const { field, asked } = await renderEdited();
    fireEvent.keyDown(field, { key });
    expect(isEdited('msg_1')).toBe(false);
    expect(asked()).toEqual([]);
  });
});

test('a refusal keeps the text and says why', async () => {
  const edit = () => Promise.reject(new Refusal('PARLOUR-A02', 'Only the author may change a message.'));
  const { field, findByRole } = await renderEdited({ answers: { edit } });
  type(field, 'Mine');
  fireEvent.keyDown(field, { key: 'Enter' });
  const alert = await findByRole('alert');
  expect(alert.textContent).toBe('Not saved: Only the author may change a message. (PARLOUR-A02) Your text is kept.');
  expect(field.value).toBe('Mine');
});

test('an empty text cannot be saved', async () => {
  const { field, getByText, asked } = await renderEdited();
  type(field, '  ');
  expect((getByText('Save') as HTMLButtonElement).disabled).toBe(true);
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(asked()).toEqual([]);
});

test('the typed text is restored when the row is mounted again', async () => {
  const { field, unmount } = await renderEdited();
  type(field, 'Half a thou');
  unmount();
  expect((renderRow().getByLabelText('Edit the message') as HTMLTextAreaElement).value).toBe('Half a thou');
});
