/** Small things that the page keeps in the browser. A browser that keeps nothing is no fault: then they are as new. */

/** What was kept under a name, or undefined when there is none or it cannot be read. */
export function readKept(key: string): unknown {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Full or forbidden: it holds until the page is left.
  }
}
