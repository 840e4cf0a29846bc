/** Operations on the lists of a snapshot; each keeps its order, some only their newest items. All return new lists. */
import type { ChannelMember } from '../../api/model';
import type { components } from '../../api/types';

type Subscription = components['schemas']['Subscription'];

/** Limit of threads, tasks, batches and artifacts in a snapshot. */
export const SNAPSHOT_ITEMS_MAX = 1_000;

type WithId = { readonly id: string };

/** Replaces the item with the same id, or appends it. */
export function putById<Item extends WithId>(list: readonly Item[], item: Item): Item[] {
  const index = list.findIndex((one) => one.id === item.id);
  return index < 0 ? [...list, item] : list.with(index, item);
}

/** Replaces the item with the same id, if there is one. */
export function replaceById<Item extends WithId>(list: Item[], item: Item): Item[] {
  const index = list.findIndex((one) => one.id === item.id);
  return index < 0 ? list : list.with(index, item);
}

/** Adds an item to a limited list and drops the oldest. */
export function putNewest<Item extends WithId>(window: readonly Item[], item: Item): Item[] {
  const next = putById(window, item);
  return next.length > SNAPSHOT_ITEMS_MAX ? next.slice(1) : next;
}

/** Whether a limited list may lack older items. */
export function isFull(window: readonly unknown[]): boolean {
  return window.length >= SNAPSHOT_ITEMS_MAX;
}

/** Inserts or replaces an item in a list sorted by these keys. */
export function putSorted<Item>(list: readonly Item[], item: Item, key: (one: Item) => readonly string[]): Item[] {
  const wanted = key(item);
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compare(key(list[middle] as Item), wanted);
    if (order === 0) return list.with(middle, item);
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return list.toSpliced(low, 0, item);
}

/** Returns the list without some items; the same list when none matches. */
export function without<Item>(list: Item[], isGone: (one: Item) => boolean): Item[] {
  return list.some(isGone) ? list.filter((one) => !isGone(one)) : list;
}

export function memberOrder(one: ChannelMember): readonly string[] {
  return [one.channel_id, one.member_id];
}

export function subscriptionOrder(one: Subscription): readonly string[] {
  return [one.channel_id, one.agent_id];
}

function compare(one: readonly string[], other: readonly string[]): number {
  for (const [index, text] of one.entries()) {
    const against = other[index] ?? '';
    if (text !== against) return text < against ? -1 : 1;
  }
  return 0;
}
