/** Members who are typing. There is no event for the end: it expires. */
import { createSignal } from 'solid-js';
import type { Typing } from '../../api/events';
import type { ConversationId } from '../../api/model';

/** How long a typing notice is valid; the hub repeats it. */
export const TYPING_VALID_MS = 6_000;

export class TypingState {
  readonly #until = createSignal<ReadonlyMap<ConversationId, ReadonlyMap<string, number>>>(new Map());
  #timer: ReturnType<typeof setTimeout> | undefined;

  in(conversation: ConversationId): readonly string[] {
    return [...(this.#until[0]().get(conversation)?.keys() ?? [])];
  }

  note({ conversation_id, members }: Typing): void {
    const until = Date.now() + TYPING_VALID_MS;
    const known = this.#until[0]();
    const there = new Map(known.get(conversation_id));
    for (const member of members) there.set(member, until);
    this.#until[1](new Map(known).set(conversation_id, there));
    this.#timer ??= setTimeout(() => this.#expire(), TYPING_VALID_MS);
  }

  /** A member who has posted is no longer typing. */
  end(conversation: ConversationId, member: string): void {
    const known = this.#until[0]();
    const there = new Map(known.get(conversation));
    if (there.delete(member)) this.#until[1](new Map(known).set(conversation, there));
  }

  clear(): void {
    this.#until[1](new Map());
  }

  #expire(): void {
    const now = Date.now();
    const known = [...this.#until[0]()];
    const left = known
      .map(([id, there]) => [id, new Map([...there].filter(([, until]) => until > now))] as const)
      .filter(([, there]) => there.size > 0);
    this.#until[1](new Map(left));
    const next = Math.min(...left.flatMap(([, there]) => [...there.values()]));
    this.#timer = left.length > 0 ? setTimeout(() => this.#expire(), next - now) : undefined;
  }
}
