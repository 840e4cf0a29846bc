/** The forms in which an agent is shown something, and which of them is usual for it. Pure. */
import type { ContextFormat } from '../../../api/context_model';
import type { Agent } from '../../../api/model';

export const FORMS = [
  {
    id: 'native',
    label: 'Turn',
    hint: 'What agents get who join, or whom the hub runs: a pack, and the conversation beside it.',
  },
  {
    id: 'pack',
    label: 'Pack',
    hint: 'A pack alone. Agents who join, or whom the hub runs, get the conversation beside it.',
  },
  { id: 'injection', label: 'Injection', hint: 'An injection comes into the middle of a turn.' },
] as const satisfies readonly { id: ContextFormat; label: string; hint: string }[];

/** What an agent is given that the hub runs is known; others may take a pack, too. */
export function usualForm({ engine }: Agent): ContextFormat {
  return engine ? 'native' : 'pack';
}

export function formOf(name: string | null): ContextFormat | undefined {
  return FORMS.find(({ id }) => id === name)?.id;
}
