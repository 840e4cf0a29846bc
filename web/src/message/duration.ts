/** How long something took, as short as it can be read. */
export function durationText(ms: number): string {
  if (ms < 95) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const rest = whole % 60;
  return rest === 0 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 60)} min ${rest} s`;
}

/** A running time counts whole seconds: tenths would flicker. */
export function runningText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1_000);
}
