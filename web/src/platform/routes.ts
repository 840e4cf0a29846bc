/** Addresses of the page, all behind `/#`: pure both ways. The API owns the paths before it. */

/** What the pane beside a conversation shows. */
export type Pane =
  | { kind: 'thread'; id: string }
  | { kind: 'member'; id: string }
  /** Topic, members and settings of the open conversation. */
  | { kind: 'details' };

export type Route =
  | { view: 'home' }
  /** A project without a conversation: leads to the one that was read there last. */
  | { view: 'project'; projectId: string }
  | { view: 'conversation'; projectId: string; conversationId: string; messageId?: string; pane?: Pane }
  | { view: 'search'; query: string }
  | { view: 'settings' };

/** Reads what stands behind `#`. Whatever cannot be read leads home. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter(Boolean).map(decode);
  const params = new URLSearchParams(search);
  if (parts[0] === 'search') return { view: 'search', query: params.get('q') ?? '' };
  if (parts[0] === 'settings') return { view: 'settings' };
  return parseConversation(parts, params) ?? parseProject(parts) ?? { view: 'home' };
}

function parseProject([p, projectId]: readonly string[]): Route | undefined {
  return p === 'p' && projectId ? { view: 'project', projectId } : undefined;
}

function parseConversation(parts: readonly string[], params: URLSearchParams): Route | undefined {
  const [p, projectId, c, conversationId, m, messageId] = parts;
  if (p !== 'p' || c !== 'c' || !projectId || !conversationId) return undefined;
  const message = m === 'm' && messageId ? { messageId } : {};
  const pane = parsePane(params.get('pane'));
  return { view: 'conversation', projectId, conversationId, ...message, ...(pane ? { pane } : {}) };
}

function parsePane(text: string | null): Pane | undefined {
  if (text === 'details') return { kind: 'details' };
  const [, kind, id] = /^(thread|member):(.+)$/su.exec(text ?? '') ?? [];
  return (kind === 'thread' || kind === 'member') && id ? { kind, id } : undefined;
}

/** Writes the address of a route; `parseRoute` reads it back. */
export function hrefOf(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'settings':
      return '#/settings';
    case 'search':
      return `#/search?q=${encodeURIComponent(route.query)}`;
    case 'project':
      return `#/p/${encodeURIComponent(route.projectId)}`;
    case 'conversation': {
      const message = route.messageId ? `/m/${encodeURIComponent(route.messageId)}` : '';
      const place = `#/p/${encodeURIComponent(route.projectId)}/c/${encodeURIComponent(route.conversationId)}${message}`;
      return route.pane ? `${place}?pane=${paneText(route.pane)}` : place;
    }
  }
}

function paneText(pane: Pane): string {
  return pane.kind === 'details' ? 'details' : `${pane.kind}:${encodeURIComponent(pane.id)}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
