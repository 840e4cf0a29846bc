/** Moves the focus between parts of the page that do not depend on each other. */

export type Region = 'sidebar' | 'messages' | 'composer' | 'pane';

/** `place` distinguishes regions of the same kind: the composers of a channel and of a thread. */
type FocusTarget = { region: Region; id: string; take: () => void };

const targets: FocusTarget[] = [];
/** The region that should get the focus and is not mounted yet. */
let awaited: { region: Region; id: string } | undefined;

/** Registers a function that focuses a region; the returned function removes it. */
export function takesFocus(region: Region, id: string, take: () => void): () => void {
  const target = { region, id, take };
  targets.push(target);
  if (awaited?.region === region && awaited.id === id) {
    awaited = undefined;
    queueMicrotask(take);
  }
  return () => {
    const index = targets.indexOf(target);
    if (index >= 0) targets.splice(index, 1);
  };
}

/**
 * Focuses a region, the newest when several match; returns false when there is none. A named region gets the focus once
 * it is mounted.
 */
export function giveFocus(region: Region, id?: string): boolean {
  const target = targets.findLast((one) => one.region === region && (id === undefined || one.id === id));
  awaited = target === undefined && id !== undefined ? { region, id } : undefined;
  target?.take();
  return target !== undefined;
}
