/** Options, default and expiry of a question draft. Pure. */
import type { AnswerOption, Ask } from '../../api/model';

/** Limit of the hub. */
export const OPTIONS_MAX = 12;
/** Limit of the hub. */
export const LABEL_CHARS_MAX = 200;
const ID_CHARS_MAX = 64;

/** How long a question may stay open, in seconds. The hub's default is a day. */
export const EXPIRIES: readonly { readonly seconds: number; readonly label: string }[] = [
  { seconds: 600, label: '10 minutes' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 14_400, label: '4 hours' },
  { seconds: 86_400, label: '1 day' },
  { seconds: 259_200, label: '3 days' },
  { seconds: 604_800, label: '7 days' },
];
export const EXPIRY_DEFAULT = 86_400;

export function optionsOf(ask: Ask | undefined): readonly AnswerOption[] {
  return ask?.options ?? [];
}

/** Adds an empty option. Its id is only used while the draft is edited. */
export function withOption(ask: Ask | undefined): Ask {
  const options = optionsOf(ask);
  if (options.length >= OPTIONS_MAX) return ask ?? {};
  const used = new Set(options.map((one) => one.id));
  let number = options.length + 1;
  while (used.has(`option-${number}`)) number += 1;
  return { ...ask, options: [...options, { id: `option-${number}`, label: '' }] };
}

export function withLabel(ask: Ask | undefined, id: string, label: string): Ask {
  return { ...ask, options: optionsOf(ask).map((one) => (one.id === id ? { ...one, label } : one)) };
}

export function withoutOption(ask: Ask | undefined, id: string): Ask {
  const { default: byDefault, ...rest } = ask ?? {};
  const options = optionsOf(ask).filter((one) => one.id !== id);
  return { ...rest, options, ...(byDefault === undefined || byDefault === id ? {} : { default: byDefault }) };
}

export function withDefault(ask: Ask | undefined, id: string): Ask {
  const { default: _, ...rest } = ask ?? {};
  return id === '' ? rest : { ...rest, default: id };
}

/**
 * Returns the question as it is sent: without empty options, with ids made from the labels, because agents read the
 * ids. Undefined when nothing is set.
 */
export function askToSend(ask: Ask | undefined): Ask | undefined {
  const taken = new Set<string>();
  const named = optionsOf(ask)
    .filter((one) => one.label.trim() !== '')
    .map((one) => ({ was: one.id, id: freeId(one.label, taken), label: one.label.trim() }));
  const byDefault = named.find((one) => one.was === ask?.default)?.id;
  const seconds = ask?.expires_in_seconds;
  const question: Ask = {
    ...(named.length > 0 ? { options: named.map(({ id, label }) => ({ id, label })) } : {}),
    ...(byDefault ? { default: byDefault } : {}),
    ...(seconds ? { expires_in_seconds: seconds } : {}),
  };
  return Object.keys(question).length > 0 ? question : undefined;
}

/** Makes an id from a label: "Keep in memory" is `keep-in-memory`; a duplicate gets a number. */
function freeId(label: string, taken: Set<string>): string {
  const words = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['option'];
  const base = [...words.join('-')].slice(0, ID_CHARS_MAX - 4).join('');
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
  taken.add(id);
  return id;
}
