/** Whether the list follows the newest message. Pure: takes inputs and positions, returns a new state. */

export interface Follow {
  readonly follows: boolean;
  /** Messages that arrived since following ended. */
  readonly newCount: number;
}

/** A scroll event in pixels; `end` is the maximum position. */
export interface Scrolled {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** Following holds within this distance of the end. */
export const FOLLOW_WITHIN_PX = 24;

export const FOLLOWING: Follow = { follows: true, newCount: 0 };
export const READING: Follow = { follows: false, newCount: 0 };

/** The reader scrolled up by wheel, touch or key: following ends, however small the movement. */
export function turnUp(follow: Follow, { end }: { end: number }): Follow {
  return follow.follows && end > 0 ? READING : follow;
}

/** The reader scrolled down. At the end nothing moves any more, so the input alone starts following. */
export function turnDown(follow: Follow, { to, end }: Pick<Scrolled, 'to' | 'end'>): Follow {
  return isAtEnd(to, end) ? FOLLOWING : follow;
}

/**
 * The scroll position changed by any means: scrollbar, search in the page, or the list itself.
 *
 * Only a move up and away from the end stops following, so growing content and the list's own writes never do. Only a
 * move down to the end starts it, so a reader who scrolled up a little is not pulled back.
 */
export function scrolled(follow: Follow, { from, to, end }: Scrolled): Follow {
  if (follow.follows) return to < from && !isAtEnd(to, end) ? READING : follow;
  return to > from && isAtEnd(to, end) ? FOLLOWING : follow;
}

/** Messages arrived at the end. Own messages scroll to the end: the writer wants to see them. */
export function arrived(follow: Follow, { others, hasOwn }: { others: number; hasOwn: boolean }): Follow {
  if (hasOwn) return FOLLOWING;
  if (follow.follows || others === 0) return follow;
  return { follows: false, newCount: follow.newCount + others };
}

export function isAtEnd(to: number, end: number): boolean {
  return end - to <= FOLLOW_WITHIN_PX;
}
