/** Where the reader was last, on the whole and in each project, for whoever opens the page without an address. */
import type { ConversationId } from '../../api/model';
import { browserStorage, type Storage } from '../storage';

const KEY = 'parlour.last';
const LOCATIONS_MAX = 50;

export interface SavedLocation {
  readonly projectId: string;
  readonly conversationId: ConversationId;
}

/** The last place of a project, or of all. It may be gone by now. */
export function lastLocation(projectId?: string, storage: Storage = browserStorage()): SavedLocation | undefined {
  return read(storage).findLast((place) => projectId === undefined || place.projectId === projectId);
}

/** Remembers a place that could be shown; the projects that were left longest ago give way. */
export function rememberLocation(
  { projectId, conversationId }: SavedLocation,
  storage: Storage = browserStorage(),
): void {
  const others = read(storage).filter((one) => one.projectId !== projectId);
  storage.set(KEY, [...others, { projectId, conversationId }].slice(-LOCATIONS_MAX));
}

function read(storage: Storage): SavedLocation[] {
  const kept = storage.get(KEY);
  return Array.isArray(kept) ? kept.filter(isLocation) : [];
}

function isLocation(value: unknown): value is SavedLocation {
  const { projectId, conversationId } = (value ?? {}) as Partial<Record<keyof SavedLocation, unknown>>;
  return typeof projectId === 'string' && typeof conversationId === 'string';
}
