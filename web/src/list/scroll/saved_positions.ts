/** Where the reader was in each conversation, so that coming back finds the same line; kept over a reload of the page. */

export type Place =
  | { readonly at: 'end' }
  /** The message that was read, and how far below the upper edge it began. */
  | { readonly at: 'message'; readonly id: string; readonly distance: number };

/** How many conversations are remembered; the ones left longest ago are forgotten. */
export const PLACES_MAX = 100;
const STORED_AS = 'parlour.places';

export interface Places {
  find(conversationId: string): Place | undefined;
  leave(conversationId: string, place: Place): void;
}

/** `storage` is the browser's, for this tab; it may be full or forbidden, then places last as long as the page. */
export function createPlaces(storage: () => Storage): Places {
  const places = new Map(readStored(storage));
  return {
    find: (conversationId) => places.get(conversationId),
    leave(conversationId, place) {
      places.delete(conversationId);
      places.set(conversationId, place);
      for (const oldest of [...places.keys()].slice(0, -PLACES_MAX)) places.delete(oldest);
      attempt(() => storage().setItem(STORED_AS, JSON.stringify([...places])));
    },
  };
}

export const places: Places = createPlaces(() => sessionStorage);

function readStored(storage: () => Storage): [string, Place][] {
  const stored: unknown = attempt(() => JSON.parse(storage().getItem(STORED_AS) ?? '[]'));
  return Array.isArray(stored) ? stored.filter(isEntry).slice(-PLACES_MAX) : [];
}

function isEntry(entry: unknown): entry is [string, Place] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const place = entry[1] as Partial<Record<'at' | 'id' | 'distance', unknown>> | null;
  if (place?.at === 'message') return typeof place.id === 'string' && Number.isFinite(place.distance);
  return place?.at === 'end';
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
