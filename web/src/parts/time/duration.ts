/** Formats a duration as short as possible. */
export function durationText(ms: number): string {
  if (ms < 95) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < HOUR) return inTwoUnits(whole, 60, 'min', 1, 's');
  return whole < DAY ? inTwoUnits(whole, HOUR, 'h', 60, 'min') : inTwoUnits(whole, DAY, 'd', HOUR, 'h');
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Formats a duration in two units; the small one is left out when it is zero. */
function inTwoUnits(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  const words = `${Math.floor(seconds / large)} ${largeName}`;
  return rest === 0 ? words : `${words} ${rest} ${smallName}`;
}

/** Formats a running time in whole seconds: tenths would flicker. */
export function runningText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1_000);
}
