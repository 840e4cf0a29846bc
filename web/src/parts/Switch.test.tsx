import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { Choice } from './Choice';
import { Switch } from './Switch';

afterEach(cleanup);

test('a switch has a name, a state, and reports changes', () => {
  const onChange = vi.fn();
  render(() => <Switch label="One column" hint="All left." isOn={true} onChange={onChange} />);
  const input = screen.getByRole('switch', { name: 'One column' }) as HTMLInputElement;
  expect(input.checked).toBe(true);
  fireEvent.click(input);
  expect(onChange).toHaveBeenCalledWith(false);
});

test('one option is checked, and picking another reports it', () => {
  const onSelect = vi.fn();
  const options = [
    { id: 'dark', label: 'Dark' },
    { id: 'light', label: 'Light' },
  ] as const;
  render(() => <Choice label="Theme" options={options} selected="dark" onSelect={onSelect} />);
  expect(screen.getByRole('group', { name: 'Theme' })).toBeTruthy();
  expect((screen.getByLabelText('Dark') as HTMLInputElement).checked).toBe(true);
  fireEvent.click(screen.getByLabelText('Light'));
  expect(onSelect).toHaveBeenCalledWith('light');
});
