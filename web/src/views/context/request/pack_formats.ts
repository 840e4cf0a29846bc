/** The formats of a context, and the usual one of an agent. Pure. */
import type { ContextFormat } from '../../../api/context_model';
import type { Agent } from '../../../api/model';

export const FORMATS = [
  {
    id: 'native',
    label: 'Turn',
    hint: 'For agents that join or are run by the hub: a pack and the conversation.',
  },
  {
    id: 'pack',
    label: 'Pack',
    hint: 'A pack without the conversation.',
  },
  { id: 'injection', label: 'Injection', hint: 'Inserted in the middle of a turn.' },
] as const satisfies readonly { id: ContextFormat; label: string; hint: string }[];

/** Agents run by the hub get turns; others may get a pack. */
export function usualFormat({ engine }: Agent): ContextFormat {
  return engine ? 'native' : 'pack';
}

export function formatOf(name: string | null): ContextFormat | undefined {
  return FORMATS.find(({ id }) => id === name)?.id;
}
