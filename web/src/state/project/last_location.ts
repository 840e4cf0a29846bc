/** The last conversation of the reader, in general and in each project. */
import type { ConversationId } from '../../api/model';
import { browserStorage, type Storage } from '../storage';

const STORAGE_KEY = 'parlour.last';
const LOCATIONS_MAX = 50;

export interface SavedLocation {
  readonly projectId: string;
  readonly conversationId: ConversationId;
}

/** Returns the last location of a project, or of all. It may not exist any more. */
export function lastLocation(projectId?: string, storage: Storage = browserStorage()): SavedLocation | undefined {
  return read(storage).findLast((place) => projectId === undefined || place.projectId === projectId);
}

/** Stores a valid location; the oldest projects are dropped. */
export function rememberLocation(
  { projectId, conversationId }: SavedLocation,
  storage: Storage = browserStorage(),
): void {
  const others = read(storage).filter((one) => one.projectId !== projectId);
  storage.set(STORAGE_KEY, [...others, { projectId, conversationId }].slice(-LOCATIONS_MAX));
}

function read(storage: Storage): SavedLocation[] {
  const kept = storage.get(STORAGE_KEY);
  return Array.isArray(kept) ? kept.filter(isLocation) : [];
}

function isLocation(value: unknown): value is SavedLocation {
  const { projectId, conversationId } = (value ?? {}) as Partial<Record<keyof SavedLocation, unknown>>;
  return typeof projectId === 'string' && typeof conversationId === 'string';
}
