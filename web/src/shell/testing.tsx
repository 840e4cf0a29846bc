/** Renders components with a store of fixed values. */
import { render } from '@solidjs/testing-library';
import type { JSX } from 'solid-js';
import type { Store } from '../state/contract';
import { StoreContext } from '../state/store_context';

export function renderWith(store: Store, part: () => JSX.Element): void {
  render(() => <StoreContext.Provider value={store}>{part()}</StoreContext.Provider>);
}

/** Waits until callbacks of resolved promises have run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}
