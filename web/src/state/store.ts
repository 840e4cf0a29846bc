/** Creates the store from its parts; `AppController` connects them. */
import { createMemo, onCleanup, untrack } from 'solid-js';
import type { ConversationId, Member, Run, Snapshot } from '../api/model';
import { AppController } from './app_controller';
import { createRequestCommands } from './commands';
import { type Commands, EMPTY_DRAFT, type Questions, type Store, type WorkCommands } from './contract';
import { createPreferences } from './preferences';
import { membersById } from './selectors';
import { createWriteCommands } from './sending/write_commands';
import { browserStorage } from './storage';
import { withLazyCommands } from './work/lazy_work';

const NO_RUNS: readonly Run[] = [];
const NO_QUESTIONS: Questions = { state: 'loading', items: [], hasMore: false };

/** Creates the store of the page and requests the session. */
export function createStore(): Store {
  const storage = browserStorage();
  const [preferences, setPreferences] = createPreferences(storage);
  const controller = new AppController(storage);
  const { project, unread, sessions, reads } = controller;
  controller.begin();
  onCleanup(() => controller.end());
  return {
    session: sessions.session,
    connection: controller.connection,
    preferences,
    projects: controller.projects,
    unreadOfProjects: unread.all,
    snapshot: project.snapshot,
    failed: project.failed,
    members: createMembers(project.snapshot),
    presence: project.presence.all,
    typing: (conversation) => {
      const reader = project.snapshot()?.reader;
      return project.typing.in(conversation).filter((id) => id !== reader);
    },
    answering: (conversation) => answersIn(controller, conversation),
    messageList: (conversation) => project.messageLists.get(conversation),
    draft: (conversation) => controller.workspace()?.drafts.get(conversation) ?? EMPTY_DRAFT,
    outbox: controller.outbox,
    mentionProblems: (id) => controller.problems.of(id),
    answerProblem: (id) => controller.work.get()?.answerProblem(id),
    runs: createMemo(() => project.snapshot()?.runs ?? NO_RUNS),
    run: (id) => controller.work.get()?.runs.get(id),
    deliveries: (id) => controller.work.get()?.deliveries.get(id),
    questions: () => controller.work.get()?.openQuestions.all() ?? NO_QUESTIONS,
    commands: withLazyCommands(
      {
        ...createCommands(controller),
        markRead: (conversation, seq) => untrack(() => reads.note(conversation, seq)),
        setPreferences,
      },
      controller.work,
    ),
  };
}

/** All commands that need the hub. */
function createCommands(controller: AppController): Omit<Commands, keyof WorkCommands | 'markRead' | 'setPreferences'> {
  const { hub, project, sessions } = controller;
  const me = () => sessions.me();
  return {
    ...createRequestCommands({ hub, project, me, loadProjects: () => controller.loadProjects() }),
    ...createWriteCommands({
      hub,
      project,
      me,
      workspace: () => controller.workspaceNow(),
      say: (frame) => controller.live.send(frame),
    }),
    signIn: (name, password) => sessions.signIn(name, password),
    signOut: () => sessions.signOut(),
    rename: async (name) => {
      const person = await hub.rename(me().member_id, name);
      sessions.rename(person.id, person.name);
    },
    reconnect: () => controller.tryNow(),
  };
}

/** Returns the streaming answers of a conversation. The name is unknown until the message is loaded. */
function answersIn({ project }: AppController, conversation: ConversationId) {
  const running = project.streams.all().filter((stream) => stream.conversationId === conversation);
  return running.map(({ messageId, from }) => ({
    messageId,
    name: from?.name ?? 'Somebody',
    ...(from?.id ? { memberId: from.id } : {}),
  }));
}

/** Members by id; the map changes only with people and agents. */
function createMembers(snapshot: () => Snapshot | undefined): () => ReadonlyMap<string, Member> {
  const people = createMemo(() => snapshot()?.people);
  const agents = createMemo(() => snapshot()?.agents);
  return createMemo(() => {
    people();
    agents();
    const now = untrack(snapshot);
    return now ? membersById(now) : new Map();
  });
}
