/** Requests the context of an agent: for the query, and again after events. */
import { createEffect, createMemo, on, onCleanup } from 'solid-js';
import type { AskContext, ContextFormat } from '../../../api/context_model';
import { route } from '../../../platform/router';
import type { ContextChange } from '../../../state/contract';
import { useStore } from '../../../state/store_context';
import { type ContextQuery, locationOf } from '../context_route';
import { queryText, useAnswerLocation } from './answer_location';
import { createLatestRequest } from './latest_request';

/** The request and its description: a result is described by its own request. */
interface PackQuery {
  readonly agentId: string;
  readonly ask: AskContext;
  readonly words: string;
}

/** `usual` is the format where none is chosen; `onChange` gets events too. */
export function createPackRequest(
  query: () => ContextQuery,
  usual: () => ContextFormat,
  onChange: (news: ContextChange) => void,
) {
  const store = useStore();
  const { location, note } = useAnswerLocation(store, query);
  const words = () => queryText(location());
  const packQuery = createMemo<PackQuery | undefined>(
    () => {
      const [here, { agentId, budget, model, format }] = [location(), query()];
      if (here === 'unknown') return undefined;
      const where = here?.isRead
        ? { conversation_id: here.conversationId, ...optionalField('message_id', here.message?.id) }
        : {};
      const ask = {
        format: format ?? usual(),
        ...optionalField('budget', budget),
        ...optionalField('model', model?.trim() || undefined),
        ...where,
      };
      return { agentId, ask, words: words() };
    },
    undefined,
    { equals: (one, other) => JSON.stringify(one) === JSON.stringify(other) },
  );
  const request = createLatestRequest(
    packQuery,
    ({ agentId, ask }, stop) => store.commands.loadContext(agentId, ask, stop),
    {
      of: () => `${query().agentId} ${locationOf(route(), query()) ?? ''}`,
      isNews: (before, now) => choicesOf(before) === choicesOf(now),
    },
  );
  const take = (news: ContextChange) => {
    onChange(news);
    note();
    request.note();
  };
  createEffect(
    on(
      () => query().agentId,
      (agentId) => {
        const stop = new AbortController();
        onCleanup(() => stop.abort());
        // Without it there is still "Refresh".
        void store.commands.followContext(agentId, take, stop.signal).catch(() => {});
      },
    ),
  );
  return { request, words };
}

/** The choices of the reader: everything but the newest message and its description. */
function choicesOf({ agentId, ask: { message_id: _, ...chosen } }: PackQuery): string {
  return JSON.stringify([agentId, chosen]);
}

/** A field of an object, if it has a value. */
function optionalField<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]?: Value });
}
