/** The state of the page: puts its parts together, and lets the hub and the browser drive them. */
import { batch, createMemo, createSignal, untrack } from 'solid-js';
import { RECONNECT, waitBefore } from '../api/backoff';
import { createClient } from '../api/client';
import type { LogEvent } from '../api/events';
import { createHub, type Hub } from '../api/hub';
import { Live } from '../api/live';
import type { Me, Member, MentionProblem, PostedMessage, Project } from '../api/model';
import { Refusal } from '../api/refusal';
import { createRequests } from './commands';
import { type Connection, EMPTY_DRAFT, type Session, type Store } from './contract';
import { createDesk, type Desk } from './desk';
import { createPreferences } from './preferences';
import { OpenProject } from './project';
import { ReadMarks } from './read_marks';
import { membersById, readingOf } from './select';
import { browserStorage } from './storage';
import { UnreadProjects } from './unread_projects';
import { createWriting } from './writing';

/** Messages whose problems with mentions are remembered. */
const PROBLEMS_MAX = 100;

export function createStore(): Store {
  const brain = new Brain();
  brain.begin();
  return brain.store();
}

class Brain {
  readonly #storage = browserStorage();
  readonly #session = createSignal<Session>({ state: 'asking' });
  readonly #connection = createSignal<Connection>({ state: 'connecting' });
  readonly #preferences = createPreferences(this.#storage);
  readonly #projects = createSignal<readonly Project[]>([]);
  readonly #desk = createSignal<Desk | undefined>();
  readonly #problems = createSignal<ReadonlyMap<string, readonly MentionProblem[]>>(new Map());
  readonly #hub: Hub = createHub(createClient(() => this.#endSession()));
  readonly #project: OpenProject = new OpenProject({
    hub: this.#hub,
    outbox: () => this.#desk[0]()?.outbox.all() ?? [],
    onOpened: (id, position) => this.#followProjects(id, position),
  });
  readonly #unread = new UnreadProjects(this.#hub);
  readonly #reads: ReadMarks = new ReadMarks({
    find: (conversation, seq) => this.#project.timelines.peek(conversation)?.upTo(seq),
    readSeq: (conversation) => this.#readSeq(conversation),
    mark: (id) => this.#hub.markRead(id),
  });
  readonly #live: Live = new Live({
    onState: (state) => this.#noteConnection(state),
    onEvent: (event) => this.#takeEvent(event),
    onMoment: (frame) => this.#project.takeMoment(frame),
    onGap: (id) => (id === this.#project.id ? this.#project.recover() : this.#unread.note(id)),
    onOthersFollowed: () => this.#unread.noteAll(),
    onSignedOut: () => this.#endSession(),
    onProjectLost: () => void this.#loadProjects(),
    onUnopened: () => void this.#hub.me().catch(() => {}),
  });
  #tries = 0;

  begin(): void {
    this.#listenToBrowser();
    void this.#askWhoIsThere();
  }

  async #askWhoIsThere(): Promise<void> {
    try {
      this.#enter(await this.#hub.me());
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.more.status === 401) return;
      this.#tries += 1;
      const wait = waitBefore(this.#tries, RECONNECT, Math.random());
      this.#connection[1]({ state: 'waiting', attempt: this.#tries, retryAt: Date.now() + wait });
      setTimeout(() => void this.#askWhoIsThere(), wait);
    }
  }

  /** Somebody is signed in. Whoever was here before finds everything as it was; somebody else finds nothing of it. */
  #enter(me: Me): void {
    batch(() => {
      const desk = untrack(this.#desk[0]);
      if (desk?.memberId !== me.member_id) {
        desk?.close();
        this.#project.close();
        this.#desk[1](createDesk(this.#storage, this.#hub, me.member_id, (posted) => this.#takePosted(posted)));
      }
      this.#session[1]({ state: 'signed_in', me });
    });
    untrack(this.#desk[0])?.sender.start();
    this.#live.start();
    void this.#loadProjects();
  }

  /** The hub does not know the session any more; everything typed and loaded stays. */
  #endSession(): void {
    const session = untrack(this.#session[0]);
    if (session.state === 'signed_out') return;
    this.#live.stop();
    untrack(this.#desk[0])?.sender.stop();
    const was = session.state === 'signed_in' ? { was: session.me.name } : {};
    this.#session[1]({ state: 'signed_out', ...was });
  }

  #me(): Me {
    const session = untrack(this.#session[0]);
    if (session.state !== 'signed_in') throw new Refusal('PAGE', 'Nobody is signed in.');
    return session.me;
  }

  async #loadProjects(): Promise<void> {
    const projects = await this.#hub.projects().catch(() => undefined);
    if (!projects) return;
    this.#projects[1](projects);
    this.#followOthers();
  }

  #followProjects(id: string, position: string): void {
    this.#live.subscriptions.followMain(id, position);
    this.#followOthers();
  }

  #followOthers(): void {
    const others = untrack(this.#projects[0])
      .map((project) => project.id)
      .filter((id) => id !== this.#project.id);
    this.#live.subscriptions.followOthers(others);
    this.#unread.watch(others);
  }

  #noteConnection(state: Connection): void {
    const isOffline = state.state !== 'live' && !navigator.onLine;
    this.#connection[1](isOffline ? { state: 'offline' } : state);
    if (state.state !== 'live') return;
    this.#project.timelines.catchUp();
    this.#reads.retry();
    untrack(this.#desk[0])?.sender.wake();
  }

  #takeEvent(event: LogEvent): void {
    if (event.name === 'projects.updated') {
      this.#projects[1]((list) => list.map((one) => (one.id === event.data.id ? event.data : one)));
    }
    if (event.project_id !== this.#project.id) return this.#unread.note(event.project_id);
    batch(() => {
      this.#project.takeEvent(event);
      if (event.name === 'messaging.posted') untrack(this.#desk[0])?.outbox.drop(event.data.id);
      if (event.name === 'projects.person_updated') this.#renameMe(event.data.id, event.data.name);
    });
  }

  #renameMe(id: string, name: string): void {
    const session = untrack(this.#session[0]);
    if (session.state !== 'signed_in' || session.me.member_id !== id) return;
    this.#session[1]({ state: 'signed_in', me: { ...session.me, name } });
  }

  /** The hub has a message of the reader: it stands in the timeline before it leaves the outbox. */
  #takePosted({ mention_problems, position: _, ...message }: PostedMessage): void {
    batch(() => {
      this.#project.timelines.take({ name: 'messaging.posted', data: message });
      if (mention_problems.length > 0) {
        this.#problems[1]((old) => new Map([...old, [message.id, mention_problems] as const].slice(-PROBLEMS_MAX)));
      }
      untrack(this.#desk[0])?.outbox.drop(message.id);
    });
  }

  #readSeq(conversation: string): number {
    const snapshot = untrack(this.#project.snapshot);
    return (snapshot && readingOf(snapshot, conversation)?.read_seq) ?? 0;
  }

  #listenToBrowser(): void {
    const tryNow = () => {
      this.#live.tryNow();
      if (untrack(this.#session[0]).state === 'signed_out') void this.#askWhoIsThere();
    };
    addEventListener('online', tryNow);
    addEventListener('offline', () => this.#live.tryNow());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && tryNow());
  }

  #members(): () => ReadonlyMap<string, Member> {
    const people = createMemo(() => this.#project.snapshot()?.people);
    const agents = createMemo(() => this.#project.snapshot()?.agents);
    return createMemo(() => {
      people();
      agents();
      const snapshot = untrack(this.#project.snapshot);
      return snapshot ? membersById(snapshot) : new Map();
    });
  }

  store(): Store {
    const project = this.#project;
    return {
      session: this.#session[0],
      connection: this.#connection[0],
      preferences: this.#preferences[0],
      projects: this.#projects[0],
      unreadOfProjects: this.#unread.all,
      snapshot: project.snapshot,
      failed: project.failed,
      members: this.#members(),
      presence: project.presence.all,
      typing: (conversation) => {
        const reader = project.snapshot()?.reader;
        return project.typing.in(conversation).filter((id) => id !== reader);
      },
      answering: (conversation) =>
        project.streams
          .all()
          .filter((stream) => stream.conversationId === conversation)
          .map(({ messageId, from }) => ({
            messageId,
            name: from?.name ?? 'Somebody',
            ...(from?.id ? { memberId: from.id } : {}),
          })),
      timeline: (conversation) => project.timelines.get(conversation),
      draft: (conversation) => this.#desk[0]()?.drafts.get(conversation) ?? EMPTY_DRAFT,
      outbox: () => this.#desk[0]()?.outbox.all() ?? [],
      mentionProblems: (id) => this.#problems[0]().get(id) ?? [],
      commands: this.#commands(),
    };
  }

  #commands(): Store['commands'] {
    const { hub, project, me } = { hub: this.#hub, project: this.#project, me: () => this.#me() };
    const desk = () => {
      const there = untrack(this.#desk[0]);
      if (!there) throw new Refusal('PAGE', 'Nobody is signed in.');
      return there;
    };
    return {
      ...createRequests({ hub, project, me, loadProjects: () => this.#loadProjects() }),
      ...createWriting({ hub, project, me, desk, say: (frame) => this.#live.send(frame) }),
      markRead: (conversation, seq) => untrack(() => this.#reads.note(conversation, seq)),
      signIn: async (name, password) => this.#enter(await hub.signIn(name, password)),
      signOut: () => this.#signOut(),
      rename: async (name) => {
        const { id, name: taken } = await hub.rename(me().member_id, name);
        this.#renameMe(id, taken);
      },
      setPreferences: this.#preferences[1],
      reconnect: () => this.#live.tryNow(),
    };
  }

  /** Ends the session. Drafts and what is on its way stay in the browser, for when the same person comes back. */
  async #signOut(): Promise<void> {
    await this.#hub.signOut();
    this.#live.stop();
    this.#live.subscriptions.clear();
    batch(() => {
      untrack(this.#desk[0])?.close();
      this.#desk[1](undefined);
      this.#project.close();
      this.#reads.clear();
      this.#projects[1]([]);
      this.#unread.watch([]);
      this.#session[1]({ state: 'signed_out' });
    });
  }
}
