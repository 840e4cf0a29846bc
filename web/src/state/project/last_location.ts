/** Where the reader was last, on the whole and in each project, for whoever opens the page without an address. */
import type { ConversationId } from '../../api/model';
import { browserStorage, type Storage } from '../storage';

const KEY = 'parlour.last';
const PLACES_MAX = 50;

export interface Place {
  readonly projectId: string;
  readonly conversationId: ConversationId;
}

/** The last place of a project, or of all. It may be gone by now. */
export function lastPlace(projectId?: string, storage: Storage = browserStorage()): Place | undefined {
  return read(storage).findLast((place) => projectId === undefined || place.projectId === projectId);
}

/** Remembers a place that could be shown; the projects that were left longest ago give way. */
export function rememberPlace({ projectId, conversationId }: Place, storage: Storage = browserStorage()): void {
  const others = read(storage).filter((one) => one.projectId !== projectId);
  storage.set(KEY, [...others, { projectId, conversationId }].slice(-PLACES_MAX));
}

function read(storage: Storage): Place[] {
  const kept = storage.get(KEY);
  return Array.isArray(kept) ? kept.filter(isPlace) : [];
}

function isPlace(value: unknown): value is Place {
  const { projectId, conversationId } = (value ?? {}) as Partial<Record<keyof Place, unknown>>;
  return typeof projectId === 'string' && typeof conversationId === 'string';
}
