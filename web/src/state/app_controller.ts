/** Lets what the hub tells, and what the browser does, drive the parts of the state. */
import { batch, createSignal, untrack } from 'solid-js';
import { createClient } from '../api/client';
import type { LogEvent } from '../api/events';
import { createHub } from '../api/hub';
import { Live } from '../api/live';
import type { ConversationId, Me, PostedMessage, Project } from '../api/model';
import { Refusal } from '../api/refusal';
import type { Connection, Outgoing } from './contract';
import { OpenProject } from './project/open_project';
import { ReadMarks } from './project/read_marks';
import { UnreadProjects } from './project/unread_projects';
import { readingOf } from './selectors';
import { createMemberWorkspace, type MemberWorkspace } from './sending/member_workspace';
import { MentionProblemLog } from './sending/mention_problem_log';
import { SessionController } from './session';
import type { Storage } from './storage';
import { LazyWork } from './work/lazy_work';

export class AppController {
  readonly #connection = createSignal<Connection>({ state: 'connecting' });
  readonly #projects = createSignal<readonly Project[]>([]);
  readonly #workspace = createSignal<MemberWorkspace | undefined>();
  /** The hub could not be reached: what is not told by events may have changed since. */
  #wasAway = false;
  readonly #ending = new AbortController();
  /** Every answer of the hub may say that the session ended. */
  readonly #client = createClient(() => this.sessions.end());
  readonly hub = createHub(this.#client);
  readonly problems = new MentionProblemLog();
  readonly unread = new UnreadProjects(this.hub);
  readonly project: OpenProject = new OpenProject({
    hub: this.hub,
    outbox: () => this.outbox(),
    onOpened: (id, position) => {
      this.live.subscriptions.followMain(id, position);
      this.work.now()?.forgetProject();
      this.#followOthers();
    },
  });
  readonly work: LazyWork = new LazyWork({
    client: this.#client,
    project: this.project,
    memberId: () => {
      const session = untrack(this.sessions.session);
      return session.state === 'signed_in' ? session.me.member_id : undefined;
    },
    message: (id) => this.hub.message(id),
  });
  /** Reads are told by the messages that are loaded, which is all that the reader can have seen. */
  readonly reads = new ReadMarks({
    find: (conversation, seq) => this.project.messageLists.peek(conversation)?.upTo(seq),
    readSeq: (conversation) => this.#readSeq(conversation),
    mark: (id) => this.hub.markRead(id),
  });
  readonly live: Live = new Live({
    onState: (state) => this.#show(state),
    onOpen: (memberId) => this.#catchUp(memberId),
    onEvents: (events) => batch(() => untrack(() => this.#takeEvents(events))),
    onEphemeral: (frame) => this.project.takeEphemeral(frame),
    onGap: (id) => {
      this.work.now()?.catchUp();
      if (id === this.project.id) this.project.recover();
      else this.unread.note(id);
    },
    onSignedOut: () => this.sessions.end(),
    onProjectLost: () => void this.#checkProjects(),
    // A page is not told why: the answer to any request tells it.
    onUnopened: () => void this.hub.me().catch(() => {}),
  });
  readonly sessions: SessionController = new SessionController({
    hub: this.hub,
    onEnter: (me) => this.#enter(me),
    onLeave: (isWished) => this.#leave(isWished),
    onUnreachable: (state) => this.#show(state),
  });

  constructor(private readonly storage: Storage) {}

  connection = (): Connection => this.#connection[0]();
  projects = (): readonly Project[] => this.#projects[0]();
  /** A signal: what belongs to the member who is, or was, signed in. */
  workspace = (): MemberWorkspace | undefined => this.#workspace[0]();
  outbox = (): readonly Outgoing[] => this.workspace()?.outbox.all() ?? [];

  workspaceNow(): MemberWorkspace {
    const workspace = untrack(this.workspace);
    if (!workspace) throw new Refusal('PAGE', 'Nobody is signed in.');
    return workspace;
  }

  /** Begins to listen, and asks who is signed in. */
  begin(): void {
    const { signal } = this.#ending;
    addEventListener('online', () => this.tryNow(), { signal });
    addEventListener('offline', () => void this.#checkWay(), { signal });
    const onSight = () => document.visibilityState === 'visible' && this.tryNow();
    document.addEventListener('visibilitychange', onSight, { signal });
    void this.sessions.ask();
  }

  /** The page goes away. */
  end(): void {
    this.#ending.abort();
    this.live.stop();
    this.work.end();
    untrack(this.workspace)?.close();
  }

  /** Somebody looks, or the network is back: does not wait any longer. */
  tryNow(): void {
    if (untrack(this.sessions.session).state === 'signed_in') this.live.tryNow();
    else void this.sessions.ask();
    untrack(this.workspace)?.sender.wake();
  }

  /** Reads the projects of the reader; a list that cannot be read now stays as it was. */
  async loadProjects(): Promise<void> {
    const projects = await this.hub.projects().catch(() => undefined);
    if (!projects) this.#wasAway = true;
    if (!projects || untrack(this.sessions.session).state !== 'signed_in') return;
    this.#projects[1](projects);
    this.#followOthers();
  }

  /** Whoever was here before finds everything as it was; somebody else finds nothing of it. */
  #enter(me: Me): void {
    const workspace = untrack(this.workspace);
    if (workspace?.memberId !== me.member_id) {
      this.#forget();
      this.#workspace[1](createMemberWorkspace(this.storage, me.member_id, this.#senderParts()));
    }
    untrack(this.workspace)?.sender.start();
    this.live.start();
    // Not before the session is known to all.
    queueMicrotask(() => {
      this.work.begin();
      void this.loadProjects();
    });
  }

  #senderParts() {
    return {
      post: this.hub.post,
      onPosted: (posted: PostedMessage) => this.#takePosted(posted),
      isReachable: () => untrack(this.connection).state !== 'offline',
    };
  }

  /** Everything typed and loaded stays, unless the reader wanted to leave: then the memory is cleared, not the browser's. */
  #leave(isWished: boolean): void {
    this.live.stop();
    untrack(this.workspace)?.sender.stop();
    if (isWished) this.#forget();
  }

  #forget(): void {
    batch(() => {
      untrack(this.workspace)?.close();
      this.#workspace[1](undefined);
      this.live.subscriptions.clear();
      this.project.close();
      this.reads.clear();
      this.work.now()?.clear();
      this.#projects[1]([]);
      this.unread.watch([]);
    });
  }

  /** Others are followed by events alone: enough to know that something is unread. */
  #followOthers(): void {
    const ids = untrack(this.projects).map((project) => project.id);
    const others = ids.filter((id) => id !== this.project.id);
    this.live.subscriptions.followOthers(others);
    this.unread.watch(others);
  }

  /** A loss while the browser has no network needs no countdown. */
  #show(state: Connection): void {
    if (state.state === 'waiting') this.#wasAway = true;
    const isOffline = state.state !== 'live' && !navigator.onLine;
    this.#connection[1](isOffline ? { state: 'offline' } : state);
  }

  /** The connection is there, for the first time or again. */
  #catchUp(memberId: string): void {
    if (memberId !== untrack(this.workspace)?.memberId) void this.sessions.ask();
    untrack(() => this.project.catchUp());
    this.reads.retry();
    untrack(this.workspace)?.sender.wake();
    if (!this.#wasAway) return;
    this.#wasAway = false;
    this.unread.noteAll();
    this.work.now()?.catchUp();
    void this.loadProjects();
  }

  /** The browser says that there is no network; a hub on the same machine may be there all the same. */
  async #checkWay(): Promise<void> {
    const refusal = await this.hub.me().then(
      () => undefined,
      (thrown: Refusal) => thrown,
    );
    if (!refusal?.isUnreachable || navigator.onLine) return;
    this.live.giveUp();
    this.#show(untrack(this.connection));
  }

  /** The reader was shut out of a project. */
  async #checkProjects(): Promise<void> {
    await this.loadProjects();
    const isGone = !untrack(this.projects).some((one) => one.id === this.project.id);
    if (isGone && this.project.id) this.project.lose();
  }

  #takeEvents(events: readonly LogEvent[]): void {
    for (const event of events) this.#takeEvent(event);
  }

  #takeEvent(event: LogEvent): void {
    if (event.name === 'projects.updated') {
      this.#projects[1]((list) => list.map((one) => (one.id === event.data.id ? event.data : one)));
    }
    this.work.now()?.take(event);
    if (event.project_id !== this.project.id) {
      this.unread.note(event.project_id);
      return;
    }
    this.project.takeEvent(event);
    if (event.name === 'messaging.posted') this.workspace()?.outbox.drop(event.data.id);
    if (event.name === 'projects.person_updated') this.sessions.rename(event.data.id, event.data.name);
  }

  /** The hub has a message of the reader: it stands in the timeline before it leaves the outbox, so nothing flickers. */
  async #takePosted({ mention_problems, answer_problem, position: _, ...message }: PostedMessage): Promise<void> {
    const drop = () => untrack(this.workspace)?.outbox.drop(message.id);
    const messageList = this.project.messageLists.peek(message.to);
    if (answer_problem) this.work.use((work) => work.noteAnswerProblem(message.id, answer_problem));
    batch(() => {
      this.problems.note(message.id, mention_problems);
      messageList?.take({ name: 'messaging.posted', data: message });
      if (!messageList || messageList.peek(message.id)) drop();
    });
    await messageList?.whole();
    drop();
  }

  #readSeq(conversation: ConversationId): number {
    const snapshot = untrack(this.project.snapshot);
    return (snapshot && readingOf(snapshot, conversation)?.read_seq) ?? 0;
  }
}
