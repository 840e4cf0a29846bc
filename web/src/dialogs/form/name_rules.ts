/** Checks names while they are typed. The hub decides, and also refuses look-alikes. Pure. */

import { NAME_CHARS_MAX } from '../../text/names';

export const TOPIC_CHARS_MAX = 500;
export const DESCRIPTION_CHARS_MAX = 4_000;
export const INSTRUCTIONS_CHARS_MAX = 32_000;
/** Members of one DM, including the reader. */
export const DM_MEMBERS_MAX = 20;

const RESERVED = new Set(
  `agents all applet assistant channel everyone here host hub me nobody parlour people scheduler system tool user you`.split(
    ' ',
  ),
);

/** Returns why a text cannot be a name; undefined when it can. */
export function nameProblem(text: string): string | undefined {
  const name = text.normalize('NFC');
  const signs = [...name];
  if (signs.length === 0) return 'A name needs at least one character.';
  if (signs.length > NAME_CHARS_MAX)
    return `A name has at most ${NAME_CHARS_MAX} characters; this has ${signs.length}.`;
  const stranger = signs.find((sign) => !/[\p{L}\p{N}\p{M} \-_.']/u.test(sign));
  if (stranger) return `A name cannot contain “${stranger}”. Use letters, digits, spaces and - _ . '`;
  if (!/^[\p{L}\p{N}]/u.test(name)) return 'A name starts with a letter or a digit.';
  if (!/[\p{L}\p{N}\p{M}]$/u.test(name)) return 'A name ends with a letter or a digit.';
  if (name.includes('  ')) return 'Use one space between words.';
  if (RESERVED.has(name.toLowerCase())) return `“${name}” is a reserved name. Choose another name.`;
  return undefined;
}
