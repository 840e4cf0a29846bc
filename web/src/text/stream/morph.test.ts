import { expect, it } from 'vitest';
import { element } from '../markdown/build_inline';
import { morph } from './morph';

it('keeps the nodes that stay, and changes the others', () => {
  const old = element('p', '', 'one ', element('strong', '', 'two'), ' three');
  const [words, strong] = old.childNodes;
  const fresh = element('p', 'x', 'one ', element('strong', '', 'two'), element('em', '', 'four'), 'five');
  const html = fresh.outerHTML;
  morph(old, fresh);
  expect(old.outerHTML).toBe(html);
  expect([old.childNodes[0], old.childNodes[1]]).toEqual([words, strong]);
});

it('extends a text that grew', () => {
  const old = element('p', '', 'so');
  const [words] = old.childNodes;
  morph(old, element('p', '', 'so far'));
  expect(old.childNodes[0]).toBe(words);
  expect(old.textContent).toBe('so far');
});

it('removes nodes that are gone', () => {
  const old = element('p', 'x', 'a', element('br'), 'b');
  morph(old, element('p', '', 'a'));
  expect(old.outerHTML).toBe('<p>a</p>');
});

it('leaves styles alone', () => {
  const old = element('td', '', 'a');
  old.style.width = '50%';
  morph(old, element('td', '', 'ab'));
  expect(old.style.width).toBe('50%');
});
