/** Lets one part of the page hand the keyboard to another without knowing it. */

export type Region = 'sidebar' | 'messages' | 'composer' | 'pane';

/** `place` tells two of the same kind apart: the composers of a channel and of the thread beside it. */
type Taker = { region: Region; place: string; take: () => void };

const takers: Taker[] = [];
/** Who was to get the focus and is not there yet: what is loaded late takes it when it comes. */
let awaited: { region: Region; place: string } | undefined;

/** Registers who takes the focus for a region; the returned function ends that. */
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

/** Gives the focus to a region, the newest when several fit; false when there is none. A named place is waited for. */
export function giveFocus(region: Region, place?: string): boolean {
  const taker = takers.findLast((one) => one.region === region && (place === undefined || one.place === place));
  awaited = taker === undefined && place !== undefined ? { region, place } : undefined;
  taker?.take();
  return taker !== undefined;
}
