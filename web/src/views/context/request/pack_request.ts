/** Asks what an agent would see: as the aim says, again when something happens, and with words for what was asked. */
import { createEffect, createMemo, on, onCleanup } from 'solid-js';
import type { AskContext, ContextFormat } from '../../../api/context_model';
import { route } from '../../../platform/router';
import type { ContextChange } from '../../../state/contract';
import { useStore } from '../../../state/store_context';
import { type ContextQuery, placeOf } from '../context_route';
import { queryText, useAnswerLocation } from './answer_location';
import { createLatestRequest } from './latest_request';

/** What is asked for, and what that is in words: an answer is told by the words of its own wish. */
interface PackQuery {
  readonly agentId: string;
  readonly ask: AskContext;
  readonly words: string;
}

/** `usual` is the form where none is chosen; `onNews` hears of what has happened, besides. */
export function createPackRequest(
  query: () => ContextQuery,
  usual: () => ContextFormat,
  onChange: (news: ContextChange) => void,
) {
  const store = useStore();
  const { place, note } = useAnswerLocation(store, query);
  const words = () => queryText(place());
  const wish = createMemo<PackQuery | undefined>(
    () => {
      const [here, { agentId, budget, model, format }] = [place(), query()];
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
  const asking = createLatestRequest(wish, ({ agentId, ask }, stop) => store.commands.loadContext(agentId, ask, stop), {
    of: () => `${query().agentId} ${placeOf(route(), query()) ?? ''}`,
    isNews: (before, now) => choicesOf(before) === choicesOf(now),
  });
  const take = (news: ContextChange) => {
    onChange(news);
    note();
    asking.note();
  };
  createEffect(
    on(
      () => query().agentId,
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
function choicesOf({ agentId, ask: { message_id: _, ...chosen } }: PackQuery): string {
  return JSON.stringify([agentId, chosen]);
}

/** A field of an object, if there is a value for it. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]?: Value });
}
