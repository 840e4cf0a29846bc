/** Scroll positions of conversations; kept over a reload of the page. */
import { attempt } from '../../state/storage';

export type SavedPosition =
  | { readonly at: 'end' }
  /** The first read message and its distance from the top. */
  | { readonly at: 'message'; readonly id: string; readonly distance: number };

/** Conversations that are remembered; the oldest are dropped. */
export const SAVED_POSITIONS_MAX = 100;
const STORAGE_KEY = 'parlour.places';

export interface SavedPositions {
  find(conversationId: string): SavedPosition | undefined;
  leave(conversationId: string, position: SavedPosition): void;
}

/** `storage` may be full or forbidden; then positions last as long as the page. */
export function createSavedPositions(storage: () => Storage): SavedPositions {
  const savedPositions = new Map(readStored(storage));
  return {
    find: (conversationId) => savedPositions.get(conversationId),
    leave(conversationId, position) {
      savedPositions.delete(conversationId);
      savedPositions.set(conversationId, position);
      for (const oldest of [...savedPositions.keys()].slice(0, -SAVED_POSITIONS_MAX)) savedPositions.delete(oldest);
      attempt(() => storage().setItem(STORAGE_KEY, JSON.stringify([...savedPositions])));
    },
  };
}

export const savedPositions: SavedPositions = createSavedPositions(() => sessionStorage);

function readStored(storage: () => Storage): [string, SavedPosition][] {
  const stored: unknown = attempt(() => JSON.parse(storage().getItem(STORAGE_KEY) ?? '[]'));
  return Array.isArray(stored) ? stored.filter(isEntry).slice(-SAVED_POSITIONS_MAX) : [];
}

function isEntry(entry: unknown): entry is [string, SavedPosition] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const position = entry[1] as Partial<Record<'at' | 'id' | 'distance', unknown>> | null;
  if (position?.at === 'message') return typeof position.id === 'string' && Number.isFinite(position.distance);
  return position?.at === 'end';
}
