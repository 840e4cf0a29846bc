import { expect, it } from 'vitest';
import { TextView } from '../stream/text_view';
import { COLOURED_CHARS_MAX, colourCode } from './colour_code';

function cardOf(language: string, code: string): HTMLElement {
  const root = document.createElement('div');
  new TextView(root, {}, () => {}).finish(`\`\`\`${language}\n${code}\n\`\`\``);
  const card = root.querySelector<HTMLElement>('.code-card');
  if (!card) throw new Error('no code');
  return card;
}

async function coloured(language: string, code: string): Promise<Element> {
  const card = cardOf(language, code);
  await colourCode(card);
  return card.querySelector('code') ?? card;
}

it('colours code by its language, and keeps every character', async () => {
  const code = await coloured('rs', '// note\nfn main() { let x = "a<b>"; 42 }');
  expect(code.textContent).toBe('// note\nfn main() { let x = "a<b>"; 42 }');
  expect(code.querySelector('.code-comment')?.textContent).toBe('// note');
  expect(code.querySelector('.code-keyword')?.textContent).toBe('fn');
  expect(code.querySelector('.code-string')?.textContent).toBe('"a<b>"');
  expect(code.querySelector('.code-number')?.textContent).toBe('42');
});

it('makes no elements of what is written in the code', async () => {
  const code = await coloured('html', '<p id="a">x</p><script>let y = 1;</script>');
  expect(code.textContent).toBe('<p id="a">x</p><script>let y = 1;</script>');
  expect(code.querySelector(':not(span)')).toBeNull();
});

it.each(['', 'unknown', 'constructor', '__proto__', 'mermaid'])(
  'leaves code of the language %j plain',
  async (language) => {
    expect((await coloured(language, 'fn main()')).children).toHaveLength(0);
  },
);

it('leaves long code plain', async () => {
  expect((await coloured('js', `let ${'a'.repeat(COLOURED_CHARS_MAX)}`)).children).toHaveLength(0);
});

it('colours the same code again at once', async () => {
  await coloured('js', 'let again = 1');
  const card = cardOf('js', 'let again = 1');
  void colourCode(card);
  expect(card.querySelector('.code-keyword')).not.toBeNull();
});

it('does not colour code that has changed meanwhile', async () => {
  const card = cardOf('js', 'let before = 1');
  const done = colourCode(card);
  card.querySelector('code')?.replaceChildren('let after = 2');
  await done;
  expect(card.querySelector('code')?.innerHTML).toBe('let after = 2');
});
