import { expect, test } from 'vitest';
import { endingWords, typingWords } from './status_text';

test('typing is told with names, then with a count', () => {
  expect(typingWords([])).toBe('');
  expect(typingWords(['Mara'])).toBe('Mara is typing');
  expect(typingWords(['Mara', 'Tobias'])).toBe('Mara and Tobias are typing');
  expect(typingWords(['Mara', 'Tobias', 'Ines'])).toBe('3 people are typing');
});

test('the end of an answer says how it ended', () => {
  expect(endingWords('Reviewer', 'complete')).toBe('Reviewer answered');
  expect(endingWords('Reviewer', 'failed')).toBe('Reviewer could not answer');
  expect(endingWords('Reviewer', 'cancelled')).toContain('stopped');
  expect(endingWords('Reviewer', 'interrupted')).toContain('interrupted');
});
