/** Remembers when members left while the page was open: the hub tells only who is there. */
import { createEffect, createSignal, on } from 'solid-js';
import type { Presence } from '../../api/model';

const LEAVERS_MAX = 500;
type DepartureTimes = ReadonlyMap<string, number>;

/** When a member left, until it is back. */
export function createLastSeen(
  presence: () => ReadonlyMap<string, Presence>,
): (memberId: string) => number | undefined {
  const [leavers, setLeavers] = createSignal<DepartureTimes>(new Map());
  createEffect(
    on(presence, (here, before) => {
      if (before) setLeavers((old) => noteLeavers(old, before, here, Date.now()));
    }),
  );
  return (memberId) => leavers().get(memberId);
}

/** Who left is noted with the time, who came is forgotten; the oldest notes give way. */
export function noteLeavers(
  leavers: DepartureTimes,
  before: ReadonlyMap<string, unknown>,
  here: ReadonlyMap<string, unknown>,
  now: number,
): DepartureTimes {
  const noted = new Map([...leavers].filter(([id]) => !here.has(id)));
  for (const id of before.keys()) if (!here.has(id)) noted.set(id, now);
  return new Map([...noted].slice(-LEAVERS_MAX));
}
