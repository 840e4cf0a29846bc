/** All requests of this page to the hub, with their types. No other file contains paths. */
import { type Client, pathWith, undefinedIfNotFound } from './client';
import type {
  Agent,
  Artifact,
  Attachment,
  Channel,
  ConversationId,
  Dm,
  Hit,
  InviteWithCode,
  Me,
  Message,
  Person,
  PostedMessage,
  PostMessage,
  Presence,
  Project,
  Snapshot,
  Thread,
  Visibility,
} from './model';
import type { components } from './types';
import { type Destination, type UploadOptions, uploadFile } from './upload';

type Schemas = components['schemas'];

/** Messages of one page of history, or items of one page of a list. */
export const PAGE_ITEMS_MAX = 200;
/** Pages of one list that are read at most. */
export const LIST_PAGES_MAX = 20;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string | null;
}

/** A range of the history: the newest messages, or those before or after a message (its id or number). */
export interface HistoryQuery {
  readonly before?: string | number;
  readonly since?: string | number;
  readonly limit?: number;
}

/** Tests replace parts of it. */
export type Hub = ReturnType<typeof createHub>;

export function createHub(client: Client) {
  return { ...sessionCalls(client), ...messageCalls(client), ...projectCalls(client), ...memberCalls(client) };
}

function sessionCalls({ call }: Client) {
  return {
    me: () => call<Me>('GET', '/me'),
    health: () => call<{ version: string }>('GET', '/health'),
    signIn: (name: string, password: string) => call<Me>('POST', '/sign-in', { name, password }),
    signOut: () => call<void>('POST', '/sign-out'),
    rename: (personId: string, name: string) =>
      call<Person>('PATCH', `/people/${encodeURIComponent(personId)}`, { name }),
    setPassword: (personId: string, password: string, current?: string) =>
      call<void>('PUT', `/people/${encodeURIComponent(personId)}/password`, { password, current }),
  };
}

function messageCalls({ call, note }: Client) {
  const at = (id: string, rest = '') => `/messages/${encodeURIComponent(id)}${rest}`;
  return {
    history: (conversation: ConversationId, query: HistoryQuery = {}) =>
      call<Page<Message>>(
        'GET',
        pathWith(`/${pathSegmentOf(conversation)}/${encodeURIComponent(conversation)}/messages`, { ...query }),
      ),
    post: (message: Partial<PostMessage>) => call<PostedMessage>('POST', '/messages', message),
    message: (id: string) => undefinedIfNotFound(call<Message>('GET', at(id))),
    edit: (id: string, body: string) => call<Message>('PATCH', at(id), { body }),
    remove: (id: string) => call<Message>('DELETE', at(id)),
    react: (id: string, emoji: string) => call<Message>('PUT', at(id, `/reactions/${encodeURIComponent(emoji)}`)),
    unreact: (id: string, emoji: string) => call<Message>('DELETE', at(id, `/reactions/${encodeURIComponent(emoji)}`)),
    markRead: (id: string) => call<unknown>('POST', at(id, '/read'), {}),
    cancel: (id: string) => call<unknown>('POST', at(id, '/cancel'), {}),
    resetLoopGuard: (conversation: ConversationId) =>
      call<Message>('POST', `/conversations/${encodeURIComponent(conversation)}/loop-guard/reset`),
    search: (projectId: string, q: string, cursor?: string) =>
      call<Page<Hit>>('GET', pathWith('/search', { project_id: projectId, q, cursor })),
    artifact: (id: string) => undefinedIfNotFound(call<Artifact>('GET', `/artifacts/${encodeURIComponent(id)}`)),
    /** Uploads do not go through `call`; an ended session is detected here as well. */
    async upload(to: Destination, file: File, options?: UploadOptions): Promise<Attachment> {
      const upload = uploadFile(to, file, options);
      upload.catch(note);
      return upload;
    },
  };
}

function projectCalls({ call }: Client) {
  const at = (id: string, rest = '') => `/projects/${encodeURIComponent(id)}${rest}`;
  const channel = (id: string, rest = '') => `/channels/${encodeURIComponent(id)}${rest}`;
  return {
    projects: () => allOf<Project>(call, '/projects'),
    createProject: (query: { name: string; description?: string }) => call<Project>('POST', '/projects', query),
    snapshot: (id: string) => call<Snapshot>('GET', at(id, '/snapshot')),
    unread: (id: string) => call<Schemas['Unread']>('GET', at(id, '/unread')),
    presence: (id: string) => allOf<Presence>(call, at(id, '/presence')),
    createChannel: (projectId: string, query: { name: string; topic?: string; visibility: Visibility }) =>
      call<Channel>('POST', '/channels', { project_id: projectId, ...query }),
    updateChannel: (id: string, patch: Schemas['UpdateChannel']) => call<Channel>('PATCH', channel(id), patch),
    setArchived: (id: string, isArchived: boolean) =>
      call<Channel>('POST', channel(id, isArchived ? '/archive' : '/unarchive')),
    addChannelMember: (id: string, memberId: string) =>
      call<unknown>('POST', channel(id, '/members'), { member_id: memberId }),
    removeChannelMember: (id: string, memberId: string) =>
      call<void>('DELETE', channel(id, `/members/${encodeURIComponent(memberId)}`)),
    openDm: (projectId: string, participants: readonly string[]) =>
      call<Dm>('POST', '/dms', { project_id: projectId, participants }),
    openThread: (channelId: string, rootId: string) =>
      call<Thread>('POST', '/threads', { channel_id: channelId, root_message_id: rootId }),
  };
}

function memberCalls({ call }: Client) {
  const people = (projectId: string, rest = '') => `/projects/${encodeURIComponent(projectId)}/people${rest}`;
  return {
    people: () => allOf<Person>(call, '/people'),
    createPerson: (name: string) => call<Person>('POST', '/people', { name }),
    signInLink: (personId: string) =>
      call<Schemas['SignInLink']>('POST', `/people/${encodeURIComponent(personId)}/link`),
    addProjectPerson: (projectId: string, personId: string) =>
      call<Person>('POST', people(projectId), { person_id: personId }),
    removeProjectPerson: (projectId: string, personId: string) =>
      call<void>('DELETE', people(projectId, `/${encodeURIComponent(personId)}`)),
    createInvite: (projectId: string, query: Schemas['CreateInvite']) =>
      call<InviteWithCode>('POST', `/projects/${encodeURIComponent(projectId)}/invites`, query),
    createAgent: (query: Schemas['CreateAgent']) => call<Agent & { token: string }>('POST', '/agents', query),
    engines: () => call<Schemas['Engines']>('GET', '/engines'),
  };
}

/** Reads a whole list, up to `LIST_PAGES_MAX` pages. */
async function allOf<Item>(call: Client['call'], path: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < LIST_PAGES_MAX; pages += 1) {
    const page: Page<Item> = await call('GET', pathWith(path, { limit: PAGE_ITEMS_MAX, cursor }));
    items.push(...page.items);
    if (!page.next) break;
    cursor = page.next;
  }
  return items;
}

/** Returns the path segment of a conversation, from the prefix of its id. */
export function pathSegmentOf(conversation: ConversationId): 'channels' | 'threads' | 'dms' {
  if (conversation.startsWith('thr_')) return 'threads';
  return conversation.startsWith('dm_') ? 'dms' : 'channels';
}

/** Returns the field of a post that names its conversation. */
export function addressOf(conversation: ConversationId): Partial<PostMessage> {
  if (conversation.startsWith('thr_')) return { thread_id: conversation };
  return conversation.startsWith('dm_') ? { dm_id: conversation } : { channel_id: conversation };
}
