import { describe, expect, it } from 'vitest';
import { seeded } from '../../state/testing/tools';
import { TEXTS } from '../markdown/corpus.testing';
import { piecesOf } from '../markdown/testing';
import { BlockPainter } from './paint_blocks';
import { type Block, StreamDoc, TOKENS_MAX } from './stream_doc';

const look = { mention: (name: string) => (name === 'Coder' ? { id: 'agt_1', isReader: false } : undefined) };

/** Renders a text that arrives in these chunks, and checks that settled elements are unchanged. */
function showPieces(pieces: readonly string[]) {
  const root = document.createElement('div');
  const settled = new Map<HTMLElement, string>();
  const painter = new BlockPainter(root, look, (block) => settled.set(block, block.outerHTML));
  const doc = new StreamDoc();
  for (const piece of pieces) {
    painter.paint(doc.append(piece), doc.tail());
    painter.showRest('rest');
  }
  painter.endTyping();
  painter.paint(doc.finish(), { blocks: [], openMarks: 0 });
  for (const [block, html] of settled) {
    expect(root.contains(block)).toBe(true);
    if (!block.matches('.table-scroll')) expect(block.outerHTML).toBe(html);
  }
  return root.innerHTML;
}

describe('a text that comes in pieces', () => {
  it.each(TEXTS.map((text) => [JSON.stringify(text.slice(0, 60)), text]))('ends as the whole does: %s', (_, text) => {
    const whole = showPieces([text]);
    const isShort = text.length < 500;
    if (isShort) expect(showPieces([...text])).toBe(whole);
    for (let seed = 1; seed <= (isShort ? 12 : 2); seed += 1) {
      expect(showPieces(piecesOf(text, seeded(seed), isShort ? 40 : 400))).toBe(whole);
    }
  });

  it('ends as the whole does when texts are put together at random', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seeded(seed);
      const pick = () => TEXTS[Math.floor(random() * TEXTS.length)]?.slice(0, 400) ?? '';
      const text = [pick(), pick(), pick()].join(random() < 0.5 ? '\n' : '\n\n');
      expect(showPieces(piecesOf(text, random)), `seed ${seed}: ${JSON.stringify(text)}`).toBe(showPieces([text]));
    }
  });
});

describe('StreamDoc', () => {
  const types = (blocks: readonly Block[]) => blocks.map(({ type }) => type);

  it('settles a block as soon as a complete line follows it', () => {
    const doc = new StreamDoc();
    expect(types(doc.append('# Title\ntext'))).toEqual([]);
    expect(types(doc.append('\n'))).toEqual(['heading']);
    expect(types(doc.finish())).toEqual(['paragraph']);
  });

  it('shows the rest of a text with too many tokens as it was typed', () => {
    const doc = new StreamDoc();
    const settled = doc.append('a\n\n'.repeat(TOKENS_MAX));
    expect(settled.length).toBeLessThanOrEqual(TOKENS_MAX);
    expect(types(doc.tail().blocks)).toEqual(['plain']);
    expect(types(doc.finish())).toEqual(['plain']);
  });

  it('resolves a link whose address is defined below, when the text is known', () => {
    const text = 'see [docs]\n\nmore\n\n[docs]: https://example.org';
    const blocks = [...new StreamDoc(text).append(text)];
    expect(JSON.stringify(blocks)).toContain('https://example.org');
    expect(JSON.stringify(new StreamDoc().append(text))).not.toContain('https://example.org');
  });

  it('never loses a character', () => {
    for (const text of TEXTS) {
      const doc = new StreamDoc();
      const raws = [...doc.append(text), ...doc.finish()].map(({ raw }) => raw).join('');
      expect(raws.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }
  });
});
