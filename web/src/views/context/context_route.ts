/** Encodes context queries in the pane of a route. Pure. */
import type { ContextFormat } from '../../api/context_model';
import { paneOf, withPane } from '../../platform/router';
import type { Route } from '../../platform/routes';
import { formatOf } from './request/pack_formats';

/** Separates the two ids. */
const ID_SEPARATOR = ',';
/** Precedes the options. */
const OPTIONS_PREFIX = '?';
/** Instead of a conversation: the agent starts by itself. */
export const NO_CONVERSATION = 'none';
export const MODEL_CHARS_MAX = 128;
/** Maximum budget in an address. */
const BUDGET_MAX = 1_000_000;

/**
 * A context query: the agent, the conversation to answer in, and the options. Part of the address, so that it can be
 * linked to.
 */
export interface ContextQuery {
  readonly agentId: string;
  /** A conversation or `NO_CONVERSATION`; by default the open conversation. */
  readonly locationId?: string | undefined;
  /** In tokens; by default the agent's budget. */
  readonly budget?: number | undefined;
  /** By default the agent's model. */
  readonly model?: string | undefined;
  /** By default the usual format of the agent. */
  readonly format?: ContextFormat | undefined;
}

export function contextRoute(here: Route, query: ContextQuery): Route {
  const pane = { kind: 'context', id: paneIdOf(query) } as const;
  return withPane(here, pane) ?? { view: 'agent', id: query.agentId, pane };
}

/** Parses the id of a pane. Unreadable options are ignored. */
export function contextQuery(paneId: string): ContextQuery {
  const [ids = '', chosen = ''] = splitOnce(paneId, OPTIONS_PREFIX);
  const [agentId = '', locationId] = ids.split(ID_SEPARATOR, 2);
  const params = new URLSearchParams(chosen);
  const budget = Number(params.get('budget') ?? Number.NaN);
  const format = formatOf(params.get('form'));
  const model = params.get('model')?.slice(0, MODEL_CHARS_MAX);
  return {
    agentId,
    ...(locationId ? { locationId } : {}),
    ...(Number.isSafeInteger(budget) && budget > 0 && budget <= BUDGET_MAX ? { budget } : {}),
    ...(model ? { model } : {}),
    ...(format ? { format } : {}),
  };
}

/** Keeps the current pane in a route: a link inside it neither closes nor changes it. */
export function keepPane(here: Route, to: Route): Route {
  const pane = paneOf(here);
  if (pane?.kind !== 'context') return withPane(to, pane) ?? to;
  const query = contextQuery(pane.id);
  return contextRoute(to, { ...query, locationId: locationOf(here, query) ?? NO_CONVERSATION });
}

/** Returns the conversation to answer in; undefined without one. */
export function locationOf(here: Route, { locationId }: ContextQuery): string | undefined {
  if (locationId) return locationId === NO_CONVERSATION ? undefined : locationId;
  return here.view === 'conversation' ? here.conversationId : undefined;
}

function paneIdOf({ agentId, locationId, budget, model, format }: ContextQuery): string {
  const ids = [agentId, locationId].filter(Boolean).join(ID_SEPARATOR);
  const chosen = new URLSearchParams();
  if (budget) chosen.set('budget', String(budget));
  if (model) chosen.set('model', model);
  if (format) chosen.set('form', format);
  return chosen.size > 0 ? `${ids}${OPTIONS_PREFIX}${chosen}` : ids;
}

function splitOnce(text: string, sign: string): string[] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + sign.length)];
}
