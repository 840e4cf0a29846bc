/** State of an answer: typed text, request and refusal. Used by the card and by "Needs you". */
import { type Accessor, createSignal } from 'solid-js';
import type { GiveAnswer, Message } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import { toast } from '../../parts/toast/Toast';
import { announce } from '../../platform/announce';
import { go } from '../../platform/router';
import { EMPTY_DRAFT } from '../../state/contract';
import { useStore } from '../../state/store_context';

/** Refusal code: the question is closed. */
const CLOSED = 'PARLOUR-C12';

export interface AnswerState {
  readonly message: Accessor<Message>;
  /** Typed and not sent; kept over reloads like a draft. */
  readonly typed: Accessor<string>;
  setTyped(text: string): void;
  readonly isBusy: Accessor<boolean>;
  /** Why the last answer was refused. */
  readonly refusal: Accessor<Refusal | undefined>;
  forgetRefusal(): void;
  /** Returns whether it was accepted. */
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
  /** The card may be gone by then, so a toast reports it. */
  const toastClosed = (late: Refusal) => {
    const { project_id: projectId, to: conversationId, id: messageId } = message();
    const kept = typed() === '' ? '' : ' What you typed is kept at the question.';
    const run = () => go({ view: 'conversation', projectId, conversationId, messageId });
    const action = { label: 'Show it', run };
    toast(`Too late. ${late.message}${kept} (${late.code})`, { kind: 'warning', ms: 10_000, action });
  };
  const submit = async (ask: () => Promise<unknown>, words: string, onTaken = () => {}): Promise<boolean> => {
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
      if (why.code === CLOSED) toastClosed(why);
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
      submit(
        () => store.commands.answer(message().id, give),
        words,
        () => setTyped(''),
      ),
    withdraw: () => submit(() => store.commands.withdraw(message().id), 'Question withdrawn'),
  };
}
