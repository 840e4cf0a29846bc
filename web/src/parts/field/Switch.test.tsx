import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
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
