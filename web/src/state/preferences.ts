/** Preferences, kept in the browser and shared by its tabs. */
import { createSignal } from 'solid-js';
import type { Preferences } from './contract';
import type { Storage } from './storage';

const STORAGE_KEY = 'parlour.preferences';

export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  density: 'comfortable',
  singleColumn: false,
  letterKeys: true,
  enterSends: true,
  notify: false,
};

export function createPreferences(storage: Storage): [() => Preferences, (change: Partial<Preferences>) => void] {
  const [preferences, setPreferences] = createSignal(readPreferences(storage.get(STORAGE_KEY)));
  storage.listen(STORAGE_KEY, (_, value) => setPreferences(readPreferences(value)));
  const change = (patch: Partial<Preferences>) => {
    setPreferences((old) => readPreferences({ ...old, ...patch }));
    storage.set(STORAGE_KEY, preferences());
  };
  return [preferences, change];
}

/** Reads stored preferences; invalid values become defaults. */
export function readPreferences(value: unknown): Preferences {
  const kept = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof Preferences, unknown>
  >;
  const flag = (name: 'singleColumn' | 'letterKeys' | 'enterSends' | 'notify') => {
    const given = kept[name];
    return typeof given === 'boolean' ? given : DEFAULT_PREFERENCES[name];
  };
  return {
    theme: kept.theme === 'dark' || kept.theme === 'light' ? kept.theme : 'system',
    density: kept.density === 'compact' ? 'compact' : 'comfortable',
    singleColumn: flag('singleColumn'),
    letterKeys: flag('letterKeys'),
    enterSends: flag('enterSends'),
    notify: flag('notify'),
  };
}
