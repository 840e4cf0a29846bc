/** Answering one question: what is typed, what is on its way, and what the hub said. Shared by its card and the board. */
import { type Accessor, createSignal } from 'solid-js';
import type { GiveAnswer, Message } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import { toast } from '../../parts/Toast';
import { announce } from '../../platform/announce';
import { go } from '../../platform/router';
import { EMPTY_DRAFT } from '../../state/contract';
import { useStore } from '../../state/store_context';

/** The question has ended. */
const CLOSED = 'PARLOUR-C12';

export interface AnswerState {
  readonly message: Accessor<Message>;
  /** What was typed and not given; kept over reloads like any draft. */
  readonly typed: Accessor<string>;
  setTyped(text: string): void;
  readonly isBusy: Accessor<boolean>;
  /** Why the last answer was not taken. */
  readonly refusal: Accessor<Refusal | undefined>;
  forgetRefusal(): void;
  /** Answers whether it was taken. */
  give(give: GiveAnswer, words: string): Promise<boolean>;
  withdraw(): Promise<boolean>;
}

export function useAnswerState(message: Accessor<Message>): AnswerState {
  const store = useStore();
  const [isBusy, setBusy] = createSignal(false);
  const [refusal, setRefusal] = createSignal<Refusal>();
  const key = () => `answer.${message().id}`;
  const typed = () => store.draft(key()).text;
  const setTyped = (text: string) => {
    if (text !== typed()) store.commands.setDraft(key(), { ...EMPTY_DRAFT, text });
  };
  /** A card may be gone when the answer comes: who is too late is told where it can be seen. */
  const tellLate = (late: Refusal) => {
    const { project_id: projectId, to: conversationId, id: messageId } = message();
    const kept = typed() === '' ? '' : ' What you typed is kept at the question.';
    const run = () => go({ view: 'conversation', projectId, conversationId, messageId });
    const action = { label: 'Show it', run };
    toast(`Too late. ${late.message}${kept} (${late.code})`, { kind: 'warning', ms: 10_000, action });
  };
  const wish = async (ask: () => Promise<unknown>, words: string, onTaken = () => {}): Promise<boolean> => {
    if (isBusy()) return false;
    setBusy(true);
    setRefusal(undefined);
    try {
      await ask();
      onTaken();
      announce(words);
      return true;
    } catch (thrown) {
      const why = toRefusal(thrown);
      if (why.code === CLOSED) tellLate(why);
      else setRefusal(why);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    message,
    typed,
    setTyped,
    isBusy,
    refusal,
    forgetRefusal: () => setRefusal(undefined),
    give: (give, words) =>
      wish(
        () => store.commands.answer(message().id, give),
        words,
        () => setTyped(''),
      ),
    withdraw: () => wish(() => store.commands.withdraw(message().id), 'The question is taken back'),
  };
}
