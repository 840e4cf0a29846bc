/** Parses and formats routes of the page, all after `/#`. The paths before it belong to the API. Pure. */

/** The content of the pane beside a view. */
export type Pane =
  | { kind: 'thread'; id: string }
  | { kind: 'member'; id: string }
  | { kind: 'run'; id: string }
  | { kind: 'task'; id: string }
  /** The context of an agent. */
  | { kind: 'context'; id: string }
  /** Topic, members and settings of the open conversation. */
  | { kind: 'details' };

type WithPane = { pane?: Pane };

export type Route =
  | { view: 'home' }
  /** A project without a conversation: opens the last one. */
  | { view: 'project'; projectId: string }
  | { view: 'conversation'; projectId: string; conversationId: string; messageId?: string; pane?: Pane }
  | { view: 'search'; query: string }
  | { view: 'settings' }
  /** Open questions of all projects. */
  | ({ view: 'needs-you' } & WithPane)
  | ({ view: 'inbox' } & WithPane)
  | ({ view: 'runs' } & WithPane)
  | ({ view: 'agent'; id: string } & WithPane);

/** Parses the fragment of a URL. An unreadable one is the home route. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter(Boolean).map(decode);
  const params = new URLSearchParams(search);
  if (parts[0] === 'search') return { view: 'search', query: params.get('q') ?? '' };
  if (parts[0] === 'settings') return { view: 'settings' };
  return parseConversation(parts, params) ?? parseProject(parts) ?? parseOverview(parts, params) ?? { view: 'home' };
}

/** Routes of views over a project or all projects. */
function parseOverview([name, id]: readonly string[], params: URLSearchParams): Route | undefined {
  const pane = parsePane(params.get('pane'));
  const beside = pane ? { pane } : {};
  if (name === 'agents') return id ? { view: 'agent', id, ...beside } : undefined;
  return name === 'needs-you' || name === 'inbox' || name === 'runs' ? { view: name, ...beside } : undefined;
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
  const [, kind, id] = /^(thread|member|run|task|context):(.+)$/su.exec(text ?? '') ?? [];
  return kind && id ? { kind: kind as Exclude<Pane['kind'], 'details'>, id } : undefined;
}

/** Formats a route; `parseRoute` reads it back. */
export function hrefOf(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'settings':
      return '#/settings';
    case 'search':
      return `#/search?q=${encodeURIComponent(route.query)}`;
    case 'needs-you':
    case 'inbox':
    case 'runs':
      return withPane(`#/${route.view}`, route.pane);
    case 'agent':
      return withPane(`#/agents/${encodeURIComponent(route.id)}`, route.pane);
    case 'project':
      return `#/p/${encodeURIComponent(route.projectId)}`;
    case 'conversation': {
      const message = route.messageId ? `/m/${encodeURIComponent(route.messageId)}` : '';
      const place = `#/p/${encodeURIComponent(route.projectId)}/c/${encodeURIComponent(route.conversationId)}${message}`;
      return withPane(place, route.pane);
    }
  }
}

function withPane(place: string, pane: Pane | undefined): string {
  if (!pane) return place;
  return `${place}?pane=${pane.kind === 'details' ? 'details' : `${pane.kind}:${encodeURIComponent(pane.id)}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
