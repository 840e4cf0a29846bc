/** Arrow keys move the focus between elements of a list and stop at its ends. */
export function moveFocusIn(container: HTMLElement | undefined, selector: string, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !container || event.altKey || event.ctrlKey || event.metaKey) return;
  const stops = [...container.querySelectorAll<HTMLElement>(selector)];
  const here = stops.indexOf(document.activeElement as HTMLElement);
  if (here < 0) return;
  event.preventDefault();
  stops[Math.max(0, Math.min(stops.length - 1, here + step))]?.focus();
}

/** The same for other keys; starts at the first element without a focused one. */
export function stepFocus(container: HTMLElement | undefined, selector: string, step: 1 | -1): void {
  const stops = [...(container?.querySelectorAll<HTMLElement>(selector) ?? [])];
  const here = stops.indexOf(document.activeElement as HTMLElement);
  stops[here < 0 ? 0 : Math.max(0, Math.min(stops.length - 1, here + step))]?.focus();
}
