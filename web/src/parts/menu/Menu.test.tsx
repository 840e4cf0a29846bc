import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MenuButton, type MenuEntry } from './Menu';

const run = vi.fn();
const ENTRIES: readonly MenuEntry[] = [
  { label: 'Copy', icon: 'copy', run: () => run('copy') },
  { type: 'line' },
  { type: 'radio', label: 'Dark', isOn: false, run: () => run('dark') },
  { type: 'radio', label: 'Light', isOn: true, run: () => run('light') },
  { label: 'Archive', isOff: true, run: () => run('archive') },
  { label: 'Delete', isDanger: true, run: () => run('delete') },
];

beforeEach(() => {
  run.mockClear();
  render(() => (
    <MenuButton label="More" entries={ENTRIES}>
      …
    </MenuButton>
  ));
});
afterEach(cleanup);

const button = () => screen.getByRole('button', { name: 'More' });
const open = () => fireEvent.click(button());
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const focused = () => document.activeElement?.textContent;

test('a click opens it on the choice that is on', () => {
  open();
  expect(button().getAttribute('aria-expanded')).toBe('true');
  expect(focused()).toBe('Light');
});

test('arrow keys wrap around and skip disabled entries', () => {
  open();
  press('ArrowDown');
  expect(focused()).toBe('Delete');
  press('ArrowDown');
  expect(focused()).toBe('Copy');
  press('ArrowUp');
  expect(focused()).toBe('Delete');
});

test('Home, End and letters find entries', () => {
  open();
  press('Home');
  expect(focused()).toBe('Copy');
  press('End');
  expect(focused()).toBe('Delete');
  press('d');
  expect(focused()).toBe('Dark');
});

test('Escape closes it and the button has the focus', () => {
  open();
  press('Escape');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(document.activeElement).toBe(button());
});

test('Escape in a menu does not reach its surroundings', () => {
  const outside = vi.fn();
  addEventListener('keydown', outside);
  open();
  press('Escape');
  removeEventListener('keydown', outside);
  expect(outside).not.toHaveBeenCalled();
});

test('picking closes the menu first, then acts', () => {
  open();
  // Noted, not expected here: an error inside a listener would not fail the test.
  let wasOpen: boolean | undefined;
  run.mockImplementation(() => {
    wasOpen = screen.queryByRole('menu') !== null;
  });
  fireEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
  expect(run).toHaveBeenCalledWith('delete');
  expect(wasOpen).toBe(false);
  expect(document.activeElement).toBe(button());
});

test('a pointer elsewhere closes it without acting', () => {
  open();
  fireEvent.pointerDown(document.body);
  expect(screen.queryByRole('menu')).toBeNull();
  expect(run).not.toHaveBeenCalled();
});

test('choices say whether they are on', () => {
  open();
  const states = screen.getAllByRole('menuitemradio').map((one) => one.getAttribute('aria-checked'));
  expect(states).toEqual(['false', 'true']);
});
