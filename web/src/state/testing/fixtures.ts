/** Fixtures for component tests: records and a store that records commands. */
import { createRoot, createSignal } from 'solid-js';
import type {
  Agent,
  Channel,
  Delivery,
  Me,
  Message,
  OpenQuestion,
  Person,
  Project,
  Question,
  Run,
  Snapshot,
} from '../../api/model';
import type { Commands, Draft, MessageList, Outgoing, Preferences, Session, Store } from '../contract';
import { EMPTY_DRAFT } from '../contract';
import { membersById } from '../selectors';

const AT = '2026-03-02T09:12:00.000Z';

export function aPerson(id = 'per_mara', name = 'Mara'): Person {
  return { id, name, is_admin: false, created_at: AT };
}

export function anAgent(id = 'agt_coder', name = 'Coder'): Agent {
  return { id, project_id: 'prj_1', name, capabilities: [], owner: 'per_mara', created_at: AT };
}

export function aChannel(id = 'chn_general', name = 'general', more: Partial<Channel> = {}): Channel {
  return { id, project_id: 'prj_1', name, visibility: 'project', created_at: AT, ...more };
}

export function aMessage(more: Partial<Message> = {}): Message {
  return {
    id: 'msg_1',
    project_id: 'prj_1',
    type: 'channel',
    to: 'chn_general',
    seq: 1,
    from: { type: 'person', id: 'per_mara', name: 'Mara' },
    kind: 'user',
    body: 'Hello',
    importance: 'normal',
    blocking: false,
    context: { project_id: 'prj_1' },
    state: 'complete',
    created_at: AT,
    ...more,
  };
}

/** A question of Coder to Mara with two options; the first is the default. */
export function aQuestion(more: Partial<Question> = {}): Question {
  return {
    addressees: ['per_mara'],
    options: [
      { id: 'keep', label: 'Keep in memory' },
      { id: 'column', label: 'Add a column', description: 'Costs a migration.' },
    ],
    default: 'keep',
    expires_at: '2026-03-02T09:24:00.000Z',
    state: 'open',
    ...more,
  };
}

export function aQuestionMessage(question: Partial<Question> = {}, more: Partial<Message> = {}): Message {
  return aMessage({
    id: 'msg_ask',
    from: { type: 'agent', id: 'agt_coder', name: 'Coder' },
    kind: 'assistant',
    body: 'Add a column, or keep it in memory?',
    blocking: true,
    mentions: ['per_mara'],
    question: aQuestion(question),
    ...more,
  });
}

export function anOpenQuestion(more: Partial<OpenQuestion> = {}): OpenQuestion {
  return { message: aQuestionMessage(), project_name: 'Parlour dev', channel_name: 'general', blocks: [], ...more };
}

export function aRun(more: Partial<Run> = {}): Run {
  return {
    id: 'run_41',
    project_id: 'prj_1',
    agent_id: 'agt_coder',
    state: 'running',
    conversation_id: 'chn_general',
    lease_seconds: 120,
    started_at: AT,
    updated_at: AT,
    ...more,
  };
}

export function aDelivery(more: Partial<Delivery> = {}): Delivery {
  return {
    message_id: 'msg_1',
    recipient: 'agt_coder',
    reason: 'mention',
    state: 'stored',
    stored_at: AT,
    ...more,
  };
}

export function aSnapshot(more: Partial<Snapshot> = {}): Snapshot {
  const project = { id: 'prj_1', name: 'Parlour dev', owner: 'per_mara', created_at: AT } as Project;
  return {
    position: 'A0-1',
    reader: 'per_mara',
    project,
    people: [aPerson(), aPerson('per_tobias', 'Tobias')],
    agents: [anAgent(), anAgent('agt_reviewer', 'Reviewer')],
    channels: [aChannel(), aChannel('chn_release', 'release', { topic: 'Ship 0.4' })],
    channel_members: [],
    subscriptions: [],
    threads: [],
    dms: [],
    tasks: [],
    batches: [],
    artifacts: [],
    runs: [],
    reading: [],
    streams: [],
    presence: [],
    ...more,
  };
}

const PREFERENCES: Preferences = {
  theme: 'system',
  density: 'comfortable',
  singleColumn: false,
  letterKeys: true,
  enterSends: true,
  notify: false,
};
const ME: Me = { member_id: 'per_mara', name: 'Mara', role: 'person', scopes: [] };

/** A message list with these messages, complete at both ends. */
export function fixedMessageList(messages: readonly Message[], more: Partial<MessageList> = {}): MessageList {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const done = async () => {};
  return {
    conversationId: messages[0]?.to ?? 'chn_general',
    loading: () => false,
    failed: () => undefined,
    ids: () => messages.map((message) => message.id),
    message: (id) => byId.get(id),
    outgoing: () => undefined,
    growing: () => undefined,
    steps: (id) => byId.get(id)?.steps ?? [],
    older: () => 'reached',
    newer: () => 'reached',
    loadOlder: done,
    loadNewer: done,
    loadAround: async (id) => byId.has(id),
    loadNewest: done,
    reload: done,
    readAtOpening: () => undefined,
    open: () => {},
    ...more,
  };
}

export interface RecordedCall {
  readonly name: keyof Commands;
  readonly with: readonly unknown[];
}

/** A store of fixed values; `asked` lists the commands in order. `answers` replaces commands. */
export function fakeStore(
  parts: Partial<Store> & { snapshot?: Store['snapshot'] } = {},
  answers: Partial<Commands> = {},
): Store & { readonly asked: RecordedCall[] } {
  const asked: RecordedCall[] = [];
  const [drafts, setDrafts] = createRoot(() => createSignal<ReadonlyMap<string, Draft>>(new Map()));
  const snapshot = parts.snapshot ?? (() => aSnapshot());
  const commands = new Proxy({} as Commands, {
    get:
      (_, name) =>
      (...given: unknown[]) => {
        asked.push({ name: name as keyof Commands, with: given });
        if (name === 'setDraft') setDrafts((old) => new Map(old).set(given[0] as string, given[1] as Draft));
        const answer = answers[name as keyof Commands] as ((...args: unknown[]) => unknown) | undefined;
        return answer ? answer(...given) : Promise.resolve(undefined);
      },
  });
  return {
    session: (): Session => ({ state: 'signed_in', me: ME }),
    connection: () => ({ state: 'live' }),
    preferences: () => PREFERENCES,
    projects: () => [aSnapshot().project],
    unreadOfProjects: () => new Map(),
    snapshot,
    failed: () => undefined,
    members: () => membersById(snapshot() ?? aSnapshot()),
    presence: () => new Map(),
    typing: () => [],
    answering: () => [],
    messageList: () => fixedMessageList([]),
    draft: (id) => drafts().get(id) ?? EMPTY_DRAFT,
    outbox: (): readonly Outgoing[] => [],
    mentionProblems: () => [],
    answerProblem: () => undefined,
    runs: () => snapshot()?.runs ?? [],
    run: (id) => snapshot()?.runs?.find((run) => run.id === id),
    deliveries: () => [],
    questions: () => ({ state: 'ready', items: [], hasMore: false }),
    ...parts,
    commands,
    asked,
  };
}
