/** Remembers when members went offline while the page was open: the hub reports only who is online. */
import { createEffect, createSignal, on } from 'solid-js';
import type { Presence } from '../../api/model';

const DEPARTURES_MAX = 500;
type DepartureTimes = ReadonlyMap<string, number>;

/** Returns when a member went offline, until it is back. */
export function createLastSeen(
  presence: () => ReadonlyMap<string, Presence>,
): (memberId: string) => number | undefined {
  const [leavers, setLeavers] = createSignal<DepartureTimes>(new Map());
  createEffect(
    on(presence, (here, before) => {
      if (before) setLeavers((old) => recordDepartures(old, before, here, Date.now()));
    }),
  );
  return (memberId) => leavers().get(memberId);
}

/** Records members that went offline and removes those that are back; the oldest records are dropped. */
export function recordDepartures(
  leavers: DepartureTimes,
  before: ReadonlyMap<string, unknown>,
  here: ReadonlyMap<string, unknown>,
  now: number,
): DepartureTimes {
  const noted = new Map([...leavers].filter(([id]) => !here.has(id)));
  for (const id of before.keys()) if (!here.has(id)) noted.set(id, now);
  return new Map([...noted].slice(-DEPARTURES_MAX));
}
