/** Finishes a block that no longer changes: highlights code and draws diagrams. */
import { colourCode } from '../code/colour_code';
import { frameDiagram, isDiagram } from '../diagram/frame_diagram';

/** Returns functions that stop what was started. */
export function finishBlock(block: HTMLElement): (() => void)[] {
  const cards = block.matches('.code-card') ? [block] : [...block.querySelectorAll<HTMLElement>('.code-card')];
  for (const card of cards.filter((one) => !isDiagram(one))) {
    // A language that cannot be loaded leaves the code plain.
    colourCode(card).catch(() => undefined);
  }
  return cards.filter(isDiagram).map(frameDiagram);
}
