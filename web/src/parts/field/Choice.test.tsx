import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { Choice } from './Choice';

afterEach(cleanup);

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
