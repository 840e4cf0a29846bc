/** Whether the list follows its newest message. Pure: inputs and positions come in, a new state goes out. */

export interface Follow {
  readonly follows: boolean;
  /** Messages that came since following ended. */
  readonly newCount: number;
}

/** Where the list stands after it was scrolled, in pixels; `end` is the largest position there is. */
export interface Scrolled {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** Following holds within this distance of the end. */
export const FOLLOW_WITHIN_PX = 24;

export const FOLLOWING: Follow = { follows: true, newCount: 0 };
export const READING: Follow = { follows: false, newCount: 0 };

/** The reader turned the wheel, dragged, or pressed a key upwards: following ends, however little moved. */
export function turnUp(follow: Follow, { end }: { end: number }): Follow {
  return follow.follows && end > 0 ? READING : follow;
}

/** The reader wants down. At the end nothing scrolls any more, so the wish alone follows again. */
export function turnDown(follow: Follow, { to, end }: Pick<Scrolled, 'to' | 'end'>): Follow {
  return isAtEnd(to, end) ? FOLLOWING : follow;
}

/**
 * The list was scrolled by whatever means: a scrollbar, a search in the page, or the list itself.
 *
 * Only a move up and away from the end ends following, so growth of the content and the list's own writes never do. Only
 * a move down to the end begins it, so a reader who turned up a little is not pulled back.
 */
export function scrolled(follow: Follow, { from, to, end }: Scrolled): Follow {
  if (follow.follows) return to < from && !isAtEnd(to, end) ? READING : follow;
  return to > from && isAtEnd(to, end) ? FOLLOWING : follow;
}

/** Messages came at the end. Own ones bring the reader there, as what was just written must be seen. */
export function arrived(follow: Follow, { others, hasOwn }: { others: number; hasOwn: boolean }): Follow {
  if (hasOwn) return FOLLOWING;
  if (follow.follows || others === 0) return follow;
  return { follows: false, newCount: follow.newCount + others };
}

export function isAtEnd(to: number, end: number): boolean {
  return end - to <= FOLLOW_WITHIN_PX;
}
