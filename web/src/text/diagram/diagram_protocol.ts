/**
 * The messages between the page and the diagram frame. The frame has no origin and no other channel, and both sides
 * ignore messages with an unknown form.
 *
 *     frame → page   ready
 *     page  → frame  draw { source, theme }
 *     frame → page   drawn { height } or failed { reason }; drawn again when its width changes
 */

const VERSION = 1;
/** Longer sources are shown as code. */
export const SOURCE_CHARS_MAX = 20_000;
const HEIGHT_MAX = 4000;
const REASON_CHARS_MAX = 500;

export type Theme = 'dark' | 'light';

export type FrameMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'drawn'; readonly height: number }
  | { readonly type: 'failed'; readonly reason: string };

export interface Draw {
  readonly type: 'draw';
  readonly source: string;
  readonly theme: Theme;
}

/** Adds the envelope to a message. */
export function withVersion(word: FrameMessage | Draw): object {
  return { parlourDiagram: VERSION, ...word };
}

export function readFrameMessage(data: unknown): FrameMessage | undefined {
  const word = opened(data);
  if (word?.type === 'ready') return { type: 'ready' };
  if (word?.type === 'drawn' && typeof word.height === 'number' && word.height > 0) {
    return { type: 'drawn', height: Math.min(Math.ceil(word.height), HEIGHT_MAX) };
  }
  if (word?.type === 'failed' && typeof word.reason === 'string') {
    return { type: 'failed', reason: word.reason.slice(0, REASON_CHARS_MAX) };
  }
  return undefined;
}

export function readDraw(data: unknown): Draw | undefined {
  const word = opened(data);
  if (word?.type !== 'draw' || typeof word.source !== 'string' || word.source.length > SOURCE_CHARS_MAX)
    return undefined;
  return { type: 'draw', source: word.source, theme: word.theme === 'dark' ? 'dark' : 'light' };
}

function opened(data: unknown): Record<string, unknown> | undefined {
  const isWord = typeof data === 'object' && data !== null && Reflect.get(data, 'parlourDiagram') === VERSION;
  return isWord ? (data as Record<string, unknown>) : undefined;
}
