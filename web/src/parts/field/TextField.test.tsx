import { cleanup, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, expect, test } from 'vitest';
import { TextField } from './TextField';

afterEach(cleanup);

const descriptionOf = (input: HTMLElement) =>
  (input.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent);

test('a field has a label, a hint and the attributes of an input', () => {
  render(() => <TextField label="Name" hint="Used to mention you." maxLength={64} value="Mara" />);
  const input = screen.getByLabelText('Name') as HTMLInputElement;
  expect([input.value, input.maxLength, input.getAttribute('aria-invalid')]).toEqual(['Mara', 64, null]);
  expect(descriptionOf(input)).toEqual(['Used to mention you.', '']);
});

test('a problem marks the field and describes it', () => {
  const [problem, setProblem] = createSignal('');
  render(() => <TextField label="Name" problem={problem()} />);
  const input = screen.getByLabelText('Name');
  setProblem('This name is taken.');
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(descriptionOf(input)).toEqual(['', 'This name is taken.']);
  setProblem('');
  expect(input.getAttribute('aria-invalid')).toBeNull();
});
