import { expect, test } from 'vitest';
import { splitAtMatches } from './split_at_matches';

const marked = (snippet: string, query: string) =>
  splitAtMatches(snippet, query)
    .map((piece) => (piece.isWord ? `[${piece.text}]` : piece.text))
    .join('');

test('every word of the search is marked, whatever its case', () => {
  expect(marked('The epoch of the Log', 'log EPOCH')).toBe('The [epoch] of the [Log]');
});

test('special characters in a query are matched literally', () => {
  expect(marked('a.b (c) a+b axb', 'a.b')).toBe('[a.b] (c) a+b axb');
  expect(marked('what [is] this-that', '[is] this-that')).toBe('what [[is]] [this-that]');
});

test('a longer word is not cut by a shorter one', () => {
  expect(marked('logging a log', 'log logging')).toBe('[logging] a [log]');
});

test('markup stays text', () => {
  expect(marked('<b>epoch</b>', 'epoch')).toBe('<b>[epoch]</b>');
});

test('an empty query marks nothing', () => {
  expect(marked('epoch', '  ')).toBe('epoch');
});

test('the pieces joined are the snippet', () => {
  for (const query of ['e', 'o h', '(', '\\', '- /', '日', 'x{2}']) {
    const snippet = 'epoch (日本) \\ {2} x{2} - / e';
    expect(
      splitAtMatches(snippet, query)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(snippet);
  }
});
