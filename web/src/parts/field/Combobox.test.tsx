import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { Combobox, type ComboboxOption } from './Combobox';

const OPTIONS: readonly ComboboxOption[] = [
  { id: 'per_tobias', label: 'Tobias' },
  { id: 'agt_coder', label: 'Coder', detail: 'agent' },
  { id: 'agt_reviewer', label: 'Reviewer', detail: 'agent' },
];

afterEach(cleanup);

const field = () => screen.getByRole('combobox', { name: 'Member' });
const type = (text: string) => fireEvent.input(field(), { target: { value: text } });
const press = (key: string) => fireEvent.keyDown(field(), { key });
const shown = () => screen.queryAllByRole('option').map((one) => one.textContent);

function renderOne(onPick = vi.fn()) {
  render(() => <Combobox label="Member" options={OPTIONS} onPick={onPick} empty="No matches." />);
  return onPick;
}

function renderSeveral() {
  const [ids, setIds] = createSignal<readonly string[]>([]);
  render(() => (
    <Combobox
      label="Member"
      options={OPTIONS}
      chosen={OPTIONS.filter((one) => ids().includes(one.id))}
      onPick={(id) => setIds((old) => [...old, id])}
      onRemove={(id) => setIds((old) => old.filter((one) => one !== id))}
    />
  ));
  return ids;
}

test('typing shows matches, Enter picks the best', () => {
  const onPick = renderOne();
  type('re');
  expect(shown()).toEqual(['Revieweragent']);
  press('Enter');
  expect(onPick).toHaveBeenCalledWith('agt_reviewer');
  expect(screen.queryByRole('listbox')).toBeNull();
});

test('the field names the option that Enter would pick', () => {
  renderOne();
  press('ArrowDown');
  press('ArrowDown');
  const active = field().getAttribute('aria-activedescendant') ?? '';
  expect(document.getElementById(active)?.textContent).toContain('Coder');
});

test('Enter without an open list belongs to the form', () => {
  const onPick = renderOne();
  const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
  field().dispatchEvent(event);
  expect(event.defaultPrevented).toBe(false);
  expect(onPick).not.toHaveBeenCalled();
});

test('a click picks', () => {
  const onPick = renderOne();
  fireEvent.click(field());
  fireEvent.click(screen.getByRole('option', { name: /Tobias/ }));
  expect(onPick).toHaveBeenCalledWith('per_tobias');
});

test('no matches are reported', () => {
  renderOne();
  type('zzz');
  expect(screen.getByText('No matches.')).toBeTruthy();
});

test('chosen options leave the list, and Backspace restores them', () => {
  const ids = renderSeveral();
  type('cod');
  press('Enter');
  expect(ids()).toEqual(['agt_coder']);
  expect(shown()).toEqual(['Tobias', 'Revieweragent']);
  press('Backspace');
  expect(ids()).toEqual([]);
});

test('a chip has a remove button', () => {
  const ids = renderSeveral();
  type('tob');
  press('Enter');
  fireEvent.click(screen.getByRole('button', { name: 'Remove Tobias' }));
  expect(ids()).toEqual([]);
});

test('Escape closes the list and nothing around it', () => {
  renderOne();
  type('t');
  const outside = vi.fn();
  addEventListener('keydown', outside);
  press('Escape');
  removeEventListener('keydown', outside);
  expect(screen.queryByRole('listbox')).toBeNull();
  expect(outside).not.toHaveBeenCalled();
});

test('an option keeps its element when the options are read again', () => {
  const [options, setOptions] = createSignal(OPTIONS);
  render(() => <Combobox label="Member" options={options()} onPick={vi.fn()} />);
  type('cod');
  const before = screen.getByRole('option');
  setOptions(OPTIONS.map((one) => ({ ...one })));
  expect(screen.getByRole('option')).toBe(before);
});
