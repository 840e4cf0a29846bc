/** Arrow keys in the sidebar, across sections. */

/** Moves the focus between rows; returns false when the key or the position does not apply. */
export function moveBetweenRows(sidebar: HTMLElement | undefined, key: string): boolean {
  const rows = [...(sidebar?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const target = at < 0 ? undefined : targetOf(key, at, rows.length);
  if (target === undefined) return false;
  rows[target]?.focus();
  return true;
}

function targetOf(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
