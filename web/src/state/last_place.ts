/** Where the reader was last, on the whole and in each project; kept in the browser. */

export interface LastPlace {
  readonly projectId: string;
  readonly conversationId: string;
}

const KEPT_AS = 'parlour.last';
const PLACES_MAX = 50;

/** The last place of a project, or of all. */
export function lastPlace(projectId?: string): LastPlace | undefined {
  return read().findLast((place) => projectId === undefined || place.projectId === projectId);
}

/** Remembers a place that could be shown; the oldest projects give way. */
export function rememberPlace(place: LastPlace): void {
  const others = read().filter((one) => one.projectId !== place.projectId);
  const { projectId, conversationId } = place;
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify([...others, { projectId, conversationId }].slice(-PLACES_MAX)));
  } catch {
    // Full or forbidden: the first channel is opened next time.
  }
}

function read(): LastPlace[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace) : [];
  } catch {
    return [];
  }
}

function isPlace(value: unknown): value is LastPlace {
  const { projectId, conversationId } = (value ?? {}) as Partial<Record<keyof LastPlace, unknown>>;
  return typeof projectId === 'string' && typeof conversationId === 'string';
}
