/** The state of the page. */
import type { Store } from './contract';

export function createStore(): Store {
  throw new Error('not there yet');
}
