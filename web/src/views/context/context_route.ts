/** Leads to what an agent would see: beside what is open, or beside the page of the agent. Pure. */
import type { ContextFormat } from '../../api/context_model';
import { paneOf, withPane } from '../../platform/router';
import type { Route } from '../../platform/routes';
import { formOf } from './request/pack_formats';

/** Stands between the two ids. No id has one. */
const BETWEEN = ',';
/** Stands before what was chosen. No id has one. */
const CHOSEN = '?';
/** In place of a conversation: it begins by itself. */
export const NOWHERE = 'none';
export const MODEL_CHARS_MAX = 128;
/** What no budget exceeds, whatever an address says. */
const BUDGET_MAX = 1_000_000;

/** Whose context it is, where it would answer, and what was chosen: the whole wish, so that it can be linked to and come back to. */
export interface ContextQuery {
  readonly agentId: string;
  /** A conversation or `NOWHERE`; without it, the conversation that is open. */
  readonly placeId?: string | undefined;
  /** In tokens; without it, as the rules of the agent have it. */
  readonly budget?: number | undefined;
  /** As it was typed; without it, the agent's own. */
  readonly model?: string | undefined;
  /** Without it, what is usual for the agent. */
  readonly format?: ContextFormat | undefined;
}

export function contextRoute(here: Route, query: ContextQuery): Route {
  const pane = { kind: 'context', id: paneIdOf(query) } as const;
  return withPane(here, pane) ?? { view: 'agent', id: query.agentId, pane };
}

/** Reads the id of a pane. What cannot be read counts as not chosen. */
export function contextQuery(paneId: string): ContextQuery {
  const [ids = '', chosen = ''] = splitOnce(paneId, CHOSEN);
  const [agentId = '', placeId] = ids.split(BETWEEN, 2);
  const params = new URLSearchParams(chosen);
  const budget = Number(params.get('budget') ?? Number.NaN);
  const format = formOf(params.get('form'));
  const model = params.get('model')?.slice(0, MODEL_CHARS_MAX);
  return {
    agentId,
    ...(placeId ? { placeId } : {}),
    ...(Number.isSafeInteger(budget) && budget > 0 && budget <= BUDGET_MAX ? { budget } : {}),
    ...(model ? { model } : {}),
    ...(format ? { format } : {}),
  };
}

/** The same place with what stands in the pane now: following a link in it neither closes it nor changes what it is about. */
export function keepPane(here: Route, to: Route): Route {
  const pane = paneOf(here);
  if (pane?.kind !== 'context') return withPane(to, pane) ?? to;
  const query = contextQuery(pane.id);
  return contextRoute(to, { ...query, placeId: placeOf(here, query) ?? NOWHERE });
}

/** Where it would answer; undefined in no conversation. */
export function placeOf(here: Route, { placeId }: ContextQuery): string | undefined {
  if (placeId) return placeId === NOWHERE ? undefined : placeId;
  return here.view === 'conversation' ? here.conversationId : undefined;
}

function paneIdOf({ agentId, placeId, budget, model, format }: ContextQuery): string {
  const ids = [agentId, placeId].filter(Boolean).join(BETWEEN);
  const chosen = new URLSearchParams();
  if (budget) chosen.set('budget', String(budget));
  if (model) chosen.set('model', model);
  if (format) chosen.set('form', format);
  return chosen.size > 0 ? `${ids}${CHOSEN}${chosen}` : ids;
}

function splitOnce(text: string, sign: string): string[] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + sign.length)];
}
