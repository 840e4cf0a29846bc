/** Browser storage. Without it (private windows, full disk) the page works but forgets. */

export interface Storage {
  get(key: string): unknown;
  /** False when the browser refuses. */
  set(key: string, value: unknown): boolean;
  remove(key: string): void;
  keys(prefix: string): readonly string[];
  /** Calls back when another tab changes a key with this prefix; undefined means removed. */
  listen(prefix: string, onChange: (key: string, value: unknown) => void): () => void;
}

export function browserStorage(): Storage {
  return {
    get: (key) => read(attempt(() => localStorage.getItem(key)) ?? null),
    set: (key, value) => attempt(() => localStorage.setItem(key, JSON.stringify(value)) ?? true) ?? false,
    remove: (key) => void attempt(() => localStorage.removeItem(key)),
    keys: (prefix) => (attempt(() => Object.keys(localStorage)) ?? []).filter((key) => key.startsWith(prefix)),
    listen(prefix, onChange) {
      const listener = ({ key, newValue }: StorageEvent) => {
        if (key?.startsWith(prefix)) onChange(key, read(newValue));
      };
      addEventListener('storage', listener);
      return () => removeEventListener('storage', listener);
    },
  };
}

/** Returns undefined when the browser forbids storage or the content is broken. */
export function attempt<Answer>(act: () => Answer): Answer | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function read(text: string | null): unknown {
  return text === null ? undefined : attempt(() => JSON.parse(text));
}
