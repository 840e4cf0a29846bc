/** Renders the context pane by its address, as the shell does. */
import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { Show } from 'solid-js';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Message } from '../../api/model';
import { go, paneOf, route } from '../../platform/router';
import { renderWith } from '../../shell/testing';
import type { Commands, Store } from '../../state/contract';
import { aMessage, fakeStore, fixedMessageList } from '../../state/testing/fixtures';
import { ContextPane } from './ContextPane';
import { contextQuery, contextRoute } from './context_route';
import { INPUT_DEBOUNCE_MS } from './request/latest_request';
import { anItem, aPack } from './testing';

export const loadContext = vi.fn();
export const question = aMessage({ id: 'msg_q', body: 'find the cause' });
export const answer = aMessage({
  id: 'msg_a',
  from: { type: 'agent', id: 'agt_coder', name: 'Coder' },
  kind: 'assistant',
});

/** Every test starts in #general, with a hub that answers. */
export function useGeneral(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' }, { replace: true });
    loadContext.mockReset().mockResolvedValue(aPack([anItem()]));
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });
}

function PaneBesideConversation() {
  const paneId = () => {
    const pane = paneOf(route());
    return pane?.kind === 'context' ? pane.id : undefined;
  };
  return <Show when={paneId()}>{(id) => <ContextPane paneId={id()} onClose={() => {}} />}</Show>;
}

export async function showWith(parts: Partial<Store>, paneId = 'agt_coder', answers: Partial<Commands> = {}) {
  go(contextRoute(route(), contextQuery(paneId)), { replace: true });
  const commands = { loadContext, followContext: async () => {}, ...answers };
  renderWith(fakeStore(parts, commands), () => <PaneBesideConversation />);
  await vi.advanceTimersByTimeAsync(0);
}
export const show = (messages: readonly Message[] = [question], paneId = 'agt_coder') =>
  showWith({ messageList: () => fixedMessageList(messages) }, paneId);

export const pane = () => document.querySelector('.context-pane')?.textContent ?? '';
export const refused = () => document.querySelector('.context-refused[role=alert]');
export const slider = () => screen.getByRole('slider', { name: 'Budget' }) as HTMLInputElement;
export const lastRequest = () => loadContext.mock.lastCall?.[1];
export const rest = () => vi.advanceTimersByTimeAsync(INPUT_DEBOUNCE_MS);
export const slideTo = (stop: number) => fireEvent.input(slider(), { target: { value: String(stop) } });

/** Opens the list of what is left out, as a browser does. */
export function unfold(): void {
  const fold = screen.getByText(/^Left out/).closest('details');
  if (!fold) throw new Error('nothing is left out');
  fold.open = true;
  fireEvent(fold, new Event('toggle'));
}
