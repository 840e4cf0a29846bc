/** Requests about questions, runs, deliveries, inboxes and contexts. Separate because this code is loaded later. */
import { type Client, pathWith, undefinedIfNotFound } from './client';
import type { AskContext, Difference, Injection, Pack } from './context_model';
import { type Page, pathSegmentOf } from './hub';
import type {
  Delivery,
  Digest,
  GiveAnswer,
  InboxCounts,
  InboxEntry,
  Message,
  MessagePreview,
  OpenQuestion,
  Run,
  TimelineEntry,
} from './model';

/** Tests replace parts of it. */
export type WorkRequests = ReturnType<typeof createWorkRequests>;

/** So many of the newest messages are searched for one that an agent could answer. */
const NEWEST = 20;

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface RunsQuery extends PageQuery {
  readonly agentId?: string;
  readonly taskId?: string;
  readonly isOpen?: boolean;
}

export function createWorkRequests({ call }: Client) {
  const message = (id: string, rest: string) => `/messages/${encodeURIComponent(id)}${rest}`;
  const run = (id: string, rest = '') => `/runs/${encodeURIComponent(id)}${rest}`;
  const agent = (id: string, rest: string) => `/agents/${encodeURIComponent(id)}${rest}`;
  const list = <Item>(path: string, query: PageQuery = {}) => call<Page<Item>>('GET', pathWith(path, { ...query }));
  return {
    answer: (id: string, give: GiveAnswer) => call<Message>('POST', message(id, '/answer'), give),
    preview: async (id: string) => (await call<MessagePreview>('GET', message(id, '/preview'))).text,
    withdraw: (id: string) => call<Message>('POST', message(id, '/withdraw')),
    questions: (query: PageQuery) => list<OpenQuestion>('/questions', query),
    deliveries: async (id: string) => (await call<Page<Delivery>>('GET', message(id, '/deliveries'))).items,
    run: (id: string) => undefinedIfNotFound(call<Run>('GET', run(id))),
    runs: (projectId: string, { agentId, taskId, isOpen, ...query }: RunsQuery) => {
      const filter = { project_id: projectId, agent_id: agentId, task_id: taskId, open: isOpen ? 'true' : undefined };
      return call<Page<Run>>('GET', pathWith('/runs', { ...filter, ...query }));
    },
    resumeRun: (id: string, messageId?: string) =>
      call<Run>('POST', run(id, '/resume'), messageId ? { message_id: messageId } : {}),
    cancelRun: (id: string, reason?: string) => call<Run>('POST', run(id, '/cancel'), reason ? { reason } : {}),
    runTimeline: (id: string, query?: PageQuery) => list<TimelineEntry>(run(id, '/timeline'), query),
    taskTimeline: (id: string, query?: PageQuery) =>
      list<TimelineEntry>(`/tasks/${encodeURIComponent(id)}/timeline`, query),
    inbox: (projectId: string, query?: PageQuery) =>
      list<InboxEntry>(`/projects/${encodeURIComponent(projectId)}/inbox`, query),
    agentInbox: (agentId: string, query?: PageQuery) => list<InboxEntry>(agent(agentId, '/inbox'), query),
    digests: (agentId: string, query?: PageQuery) => list<Digest>(agent(agentId, '/inbox/digests'), query),
    inboxCounts: (agentId: string) => call<InboxCounts>('GET', agent(agentId, '/inbox/counts')),
    context: (agentId: string, ask: AskContext, stop?: AbortSignal) =>
      call<Pack>('POST', agent(agentId, '/context'), ask, stop),
    newest: (id: string) =>
      call<Page<Message>>(
        'GET',
        pathWith(`/${pathSegmentOf(id)}/${encodeURIComponent(id)}/messages`, { limit: NEWEST }),
      ),
    injections: (id: string, query?: PageQuery) => list<Injection>(run(id, '/injections'), query),
    difference: (id: string, other: string) =>
      call<Difference>('GET', pathWith(run(id, '/injections/difference'), { with: other })),
  };
}
