/** Formats times: short in the text, complete on hover and for machines. */

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const FULL_DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const DATE = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const DATE_AND_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const DAY_AND_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

export function Time(props: { at: string | number }) {
  const date = () => new Date(props.at);
  return (
    <time class="time" datetime={date().toISOString()} title={fullTimeText(props.at)}>
      {clockText(props.at)}
    </time>
  );
}

/** Returns "09:12" in the reader's locale. */
export function clockText(at: string | number): string {
  return CLOCK.format(new Date(at));
}

/** Returns the date and the time to the second. */
export function fullTimeText(at: string | number): string {
  return FULL_DATE_TIME.format(new Date(at));
}

/** A time that may be long ago: the clock today, the date before. */
export function DateTime(props: { at: string | number }) {
  const date = () => new Date(props.at);
  return (
    <time class="time" datetime={date().toISOString()} title={FULL_DATE_TIME.format(date())}>
      {dateTimeLabel(props.at, Date.now())}
    </time>
  );
}

export function dateTimeLabel(at: string | number, now: number): string {
  const date = new Date(at);
  if (dayKey(at) === dayKey(now)) return CLOCK.format(date);
  return (date.getFullYear() === new Date(now).getFullYear() ? DATE : DATE_AND_YEAR).format(date);
}

/** Returns "Today", "Yesterday", a weekday with its date, or a date with its year. */
export function dayLabel(at: string | number, now: number): string {
  const date = new Date(at);
  const days = Math.round((midnight(now) - midnight(date.getTime())) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return (date.getFullYear() === new Date(now).getFullYear() ? DAY : DAY_AND_YEAR).format(date);
}

/** Returns a key that is equal for times of the same day. */
export function dayKey(at: string | number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
