/** Moves the focus between parts of the page that do not depend on each other. */

export type Region = 'sidebar' | 'messages' | 'composer' | 'pane';

/** `place` distinguishes regions of the same kind: the composers of a channel and of a thread. */
type Taker = { region: Region; place: string; take: () => void };

const takers: Taker[] = [];
/** The region that should get the focus and is not mounted yet. */
let awaited: { region: Region; place: string } | undefined;

/** Registers a function that focuses a region; the returned function removes it. */
export function takesFocus(region: Region, place: string, take: () => void): () => void {
  const taker = { region, place, take };
  takers.push(taker);
  if (awaited?.region === region && awaited.place === place) {
    awaited = undefined;
    queueMicrotask(take);
  }
  return () => {
    const index = takers.indexOf(taker);
    if (index >= 0) takers.splice(index, 1);
  };
}

/**
 * Focuses a region, the newest when several match; returns false when there is none. A named region gets the focus once
 * it is mounted.
 */
export function giveFocus(region: Region, place?: string): boolean {
  const taker = takers.findLast((one) => one.region === region && (place === undefined || one.place === place));
  awaited = taker === undefined && place !== undefined ? { region, place } : undefined;
  taker?.take();
  return taker !== undefined;
}
