/**
 * Finds mentions in rendered text by the rule of the hub: `@` at the start or after a character that is not part of a
 * word, then the longest known name that ends with its word. Names consist of letters, digits, `_`, single spaces, `-`,
 * `.` and `'`.
 */
import { canPrecedeMention, NAME_CHARS_MAX, nameEnds } from '../names';

export interface MentionTarget {
  readonly id: string;
  readonly isReader: boolean;
}

/** Resolves a name to a member. */
export type Mention = (name: string) => MentionTarget | undefined;

export type TextPart = string | { readonly name: string; readonly member: MentionTarget };

/** Splits a text into plain parts and mentions. */
export function splitMentions(text: string, mention: Mention): TextPart[] {
  const parts: TextPart[] = [];
  let start = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const found = isStart(text, at) ? longestName(text.slice(at + 1, at + 1 + NAME_CHARS_MAX * 2), mention) : undefined;
    if (!found) continue;
    if (at > start) parts.push(text.slice(start, at));
    parts.push(found);
    start = at + 1 + found.name.length;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

function isStart(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1);
  return canPrecedeMention(before);
}

function longestName(tail: string, mention: Mention) {
  for (const end of nameEnds(tail).reverse()) {
    const name = tail.slice(0, end);
    const member = mention(name);
    if (member) return { name, member };
  }
  return undefined;
}
