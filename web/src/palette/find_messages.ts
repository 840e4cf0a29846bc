/** Searches messages while typing: debounced, and never out of order. */
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Hit } from '../api/model';
import type { Commands } from '../state/contract';

/** Debounce time. */
const PAUSE_MS = 200;
const LETTERS_MIN = 2;

export interface FoundMessages {
  /** The query of these results. */
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly state: 'idle' | 'asking' | 'done' | 'failed';
}

const NO_SEARCH: FoundMessages = { text: '', hits: [], state: 'idle' };

export function findMessages(text: Accessor<string>, search: Commands['search']): Accessor<FoundMessages> {
  const [found, setFound] = createSignal<FoundMessages>(NO_SEARCH);
  createEffect(() => {
    const wanted = text();
    if ([...wanted].length < LETTERS_MIN) return setFound(NO_SEARCH);
    let isWanted = true;
    setFound((old) => ({ ...old, state: 'asking' }));
    const timer = setTimeout(() => {
      search(wanted).then(
        ({ hits }) => isWanted && setFound({ text: wanted, hits, state: 'done' }),
        () => isWanted && setFound({ text: wanted, hits: [], state: 'failed' }),
      );
    }, PAUSE_MS);
    onCleanup(() => {
      isWanted = false;
      clearTimeout(timer);
    });
  });
  return found;
}
