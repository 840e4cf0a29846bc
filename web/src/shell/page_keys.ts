/** Shortcuts of the whole page. */
import { onCleanup } from 'solid-js';
import { go, paneOf, route, setPane } from '../platform/router';
import { onShortcut } from '../platform/shortcuts';
import type { Store } from '../state/contract';
import { conversationsInOrder, openConversation, stepFrom } from './sidebar/conversation_order';

export function answerPageKeys(store: Store): void {
  const step = (by: 1 | -1, request: 'all' | 'unread') => () => {
    const snapshot = store.snapshot();
    const place = snapshot && stepFrom(conversationsInOrder(snapshot), openConversation(route()), by, request);
    if (place) go(place.route);
  };
  const answers: Record<string, () => void> = {
    previous: step(-1, 'all'),
    next: step(1, 'all'),
    'previous-unread': step(-1, 'unread'),
    'next-unread': step(1, 'unread'),
    pane: togglePane,
    settings: () => go({ view: 'settings' }),
    search: () => go({ view: 'search', query: '' }),
    'needs-you': () => go({ view: 'needs-you' }),
    inbox: () => go({ view: 'inbox' }),
    runs: () => go({ view: 'runs' }),
  };
  for (const [id, answer] of Object.entries(answers)) onCleanup(onShortcut(id, answer));
}

function togglePane(): void {
  const here = route();
  if (paneOf(here)) setPane(undefined);
  else if (here.view === 'conversation') setPane({ kind: 'details' });
}
