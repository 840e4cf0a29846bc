import { expect, it } from 'vitest';
import { copyLinks, definitions } from './link_definitions';

it('finds definitions anywhere, the first of each label', () => {
  const links = definitions(
    'text\n\n[A  b]: https://one.example\n[a b]: https://two.example\n  [c]: <https://three.example> "t"',
  );
  expect({ ...links }).toEqual({
    'a b': { href: 'https://one.example', title: null },
    c: { href: 'https://three.example', title: null },
  });
});

it('inherits no name', () => {
  for (const links of [definitions(''), copyLinks(definitions(''))]) {
    expect(links.constructor).toBeUndefined();
    expect(links.toString).toBeUndefined();
  }
});

it('treats every label as data', () => {
  expect(Object.keys(definitions('[__proto__]: https://one.example'))).toEqual(['__proto__']);
});

it('stops at a bound', () => {
  const text = Array.from({ length: 2000 }, (_, i) => `[l${i}]: https://one.example\n`).join('');
  expect(Object.keys(definitions(text))).toHaveLength(500);
});
