import { expect, test } from 'vitest';
import { endingText, typingText } from './status_text';

test('typing is shown with names, then with a count', () => {
  expect(typingText([])).toBe('');
  expect(typingText(['Mara'])).toBe('Mara is typing');
  expect(typingText(['Mara', 'Tobias'])).toBe('Mara and Tobias are typing');
  expect(typingText(['Mara', 'Tobias', 'Ines'])).toBe('3 people are typing');
});

test('the announcement shows how an answer ended', () => {
  expect(endingText('Reviewer', 'complete')).toBe('Reviewer answered');
  expect(endingText('Reviewer', 'failed')).toBe('Reviewer could not answer');
  expect(endingText('Reviewer', 'cancelled')).toContain('stopped');
  expect(endingText('Reviewer', 'interrupted')).toContain('interrupted');
});
