/** What a block gets when it no longer changes: colours in its code, diagrams in place of their sources. */
import { colourCode } from '../code/colour_code';
import { frameDiagram, isDiagram } from '../diagram/frame_diagram';

/** Furnishes a settled block and answers what ends it. */
export function finishBlock(block: HTMLElement): (() => void)[] {
  const cards = block.matches('.code-card') ? [block] : [...block.querySelectorAll<HTMLElement>('.code-card')];
  for (const card of cards.filter((one) => !isDiagram(one))) {
    // Code without colours is still code: a language that cannot be loaded harms nobody.
    colourCode(card).catch(() => undefined);
  }
  return cards.filter(isDiagram).map(frameDiagram);
}
