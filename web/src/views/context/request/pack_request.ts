/** Asks what an agent would see: as the aim says, again when something happens, and with words for what was asked. */
import { createEffect, createMemo, on, onCleanup } from 'solid-js';
import type { AskContext, ContextFormat } from '../../../api/context_model';
import { route } from '../../../platform/router';
import type { ContextNews } from '../../../state/contract';
import { useStore } from '../../../state/store_context';
import { type ContextAim, placeOf } from '../context_route';
import { aimWords, usePlace } from './answer_location';
import { createAsking } from './latest_request';

/** What is asked for, and what that is in words: an answer is told by the words of its own wish. */
interface Wish {
  readonly agentId: string;
  readonly ask: AskContext;
  readonly words: string;
}

/** `usual` is the form where none is chosen; `onNews` hears of what has happened, besides. */
export function createContextAsking(
  aim: () => ContextAim,
  usual: () => ContextFormat,
  onNews: (news: ContextNews) => void,
) {
  const store = useStore();
  const { place, note } = usePlace(store, aim);
  const words = () => aimWords(place());
  const wish = createMemo<Wish | undefined>(
    () => {
      const [here, { agentId, budget, model, format }] = [place(), aim()];
      if (here === 'unknown') return undefined;
      const where = here?.isRead
        ? { conversation_id: here.conversationId, ...given('message_id', here.message?.id) }
        : {};
      const ask = {
        format: format ?? usual(),
        ...given('budget', budget),
        ...given('model', model?.trim() || undefined),
        ...where,
      };
      return { agentId, ask, words: words() };
    },
    undefined,
    { equals: (one, other) => JSON.stringify(one) === JSON.stringify(other) },
  );
  const asking = createAsking(wish, ({ agentId, ask }, stop) => store.commands.loadContext(agentId, ask, stop), {
    of: () => `${aim().agentId} ${placeOf(route(), aim()) ?? ''}`,
    isNews: (before, now) => choicesOf(before) === choicesOf(now),
  });
  const take = (news: ContextNews) => {
    onNews(news);
    note();
    asking.note();
  };
  createEffect(
    on(
      () => aim().agentId,
      (agentId) => {
        const stop = new AbortController();
        onCleanup(() => stop.abort());
        // Without it there is still *Ask again*.
        void store.commands.followContext(agentId, take, stop.signal).catch(() => {});
      },
    ),
  );
  return { asking, words };
}

/** What somebody chose: all but the message that happens to be the newest, and its words. */
function choicesOf({ agentId, ask: { message_id: _, ...chosen } }: Wish): string {
  return JSON.stringify([agentId, chosen]);
}

/** A field of an object, if there is a value for it. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]?: Value });
}
