/** Provides the store to components. */
import { createContext, useContext } from 'solid-js';
import type { Store } from './contract';

export const StoreContext = createContext<Store>();

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('a component outside of StoreContext');
  return store;
}
