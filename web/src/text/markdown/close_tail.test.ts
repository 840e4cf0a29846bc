import { expect, it } from 'vitest';
import { closeTail } from './close_tail';

it.each([
  ['**bold', '**bold**', 1],
  ['**bold ', '**bold**', 1],
  ['**bold*', '**bold**', 1],
  ['**bold**', '**bold**', 0],
  ['a **b *c', 'a **b *c***', 2],
  ['a **', 'a', 0],
  ['`code', '`code`', 1],
  ['a `', 'a', 0],
  ['``a ` b', '``a ` b``', 1],
  ['`**not bold', '`**not bold`', 1],
  ['~~gone', '~~gone~~', 1],
  ['snake_case', 'snake_case', 0],
  ['2 * 3', '2 * 3', 0],
  ['\\*not', '\\*not', 0],
  ['see [the tour', 'see the tour', 0],
  ['see [the tour](https://exa', 'see the tour', 0],
  ['see [the tour](https://a.example)', 'see [the tour](https://a.example)', 0],
  ['see [x] and', 'see [x] and', 0],
  ['a ![pic](/art', 'a', 0],
  ['text\n-', 'text\n', 0],
  ['text\n- ', 'text\n', 0],
  ['- a\n- [ ', '- a\n', 0],
  ['1. a\n2', '1. a\n', 0],
  ['text\n##', 'text\n', 0],
  ['text\n`', 'text\n', 0],
  ['| a | b', '', 0],
  ['| a |\n|--', '| a |\n', 0],
  ['| a |\n|---|\n| **b', '| a |\n|---|\n| **b**', 1],
  ['- **a\n- b', '- **a\n- b', 0],
  ['**a\n\nb', '**a\n\nb', 0],
  ['```js\nlet a = `', '```js\nlet a = `', 0],
  ['```js\ncode\n``', '```js\ncode\n', 0],
  ['```\na\n```\n**b', '```\na\n```\n**b**', 1],
])('ends %j as %j', (tail, text, openMarks) => {
  const closed = closeTail(tail);
  expect([closed.text.trimEnd(), closed.openMarks]).toEqual([text.trimEnd(), openMarks]);
});

it('shows rows of a table that began before', () => {
  expect(closeTail('| 1 | 2', true).text).toBe('| 1 | 2');
});

it('leaves a very long paragraph as it is', () => {
  const text = `**${'a '.repeat(5000)}`;
  expect(closeTail(text)).toEqual({ text, openMarks: 0 });
});
