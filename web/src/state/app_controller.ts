/** Connects the parts of the state: forwards events of the hub and of the browser to them. */
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
  /** The hub was unreachable: state without events may have changed since. */
  #wasAway = false;
  readonly #ending = new AbortController();
  /** Any response may report that the session ended. */
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
  /** Read marks refer to loaded messages, because only those can have been seen. */
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
    // The browser hides the reason; any request reveals it.
    onUnopened: () => void this.hub.me().catch(() => {}),
  });
  readonly sessions: SessionController = new SessionController({
    hub: this.hub,
    onEnter: (me) => this.#enter(me),
    onLeave: (isIntended) => this.#leave(isIntended),
    onUnreachable: (state) => this.#show(state),
  });

  constructor(private readonly storage: Storage) {}

  connection = (): Connection => this.#connection[0]();
  projects = (): readonly Project[] => this.#projects[0]();
  /** A signal: outbox and drafts of the member who is, or was, signed in. */
  workspace = (): MemberWorkspace | undefined => this.#workspace[0]();
  outbox = (): readonly Outgoing[] => this.workspace()?.outbox.all() ?? [];

  workspaceNow(): MemberWorkspace {
    const workspace = untrack(this.workspace);
    if (!workspace) throw new Refusal('PAGE', 'You are not signed in. Sign in again.');
    return workspace;
  }

  /** Adds listeners and requests the session. */
  begin(): void {
    const { signal } = this.#ending;
    addEventListener('online', () => this.tryNow(), { signal });
    addEventListener('offline', () => void this.#checkConnection(), { signal });
    const onVisible = () => document.visibilityState === 'visible' && this.tryNow();
    document.addEventListener('visibilitychange', onVisible, { signal });
    void this.sessions.ask();
  }

  /** Stops everything. */
  end(): void {
    this.#ending.abort();
    this.live.stop();
    this.work.end();
    untrack(this.workspace)?.close();
  }

  /** The page is visible again, or the network is back: retries at once. */
  tryNow(): void {
    if (untrack(this.sessions.session).state === 'signed_in') this.live.tryNow();
    else void this.sessions.ask();
    untrack(this.workspace)?.sender.wake();
  }

  /** Loads the reader's projects; keeps the old list when that fails. */
  async loadProjects(): Promise<void> {
    const projects = await this.hub.projects().catch(() => undefined);
    if (!projects) this.#wasAway = true;
    if (!projects || untrack(this.sessions.session).state !== 'signed_in') return;
    this.#projects[1](projects);
    this.#followOthers();
  }

  /** The same member finds everything as it was; another member gets an empty state. */
  #enter(me: Me): void {
    const workspace = untrack(this.workspace);
    if (workspace?.memberId !== me.member_id) {
      this.#forget();
      this.#workspace[1](createMemberWorkspace(this.storage, me.member_id, this.#senderParts()));
    }
    untrack(this.workspace)?.sender.start();
    this.live.start();
    // After the session signal has changed.
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

  /**
   * Keeps everything typed and loaded when the session expired. Signing out clears the memory, not the browser storage.
   */
  #leave(isIntended: boolean): void {
    this.live.stop();
    untrack(this.workspace)?.sender.stop();
    if (isIntended) this.#forget();
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

  /** Other projects are followed by events alone, to count unread messages. */
  #followOthers(): void {
    const ids = untrack(this.projects).map((project) => project.id);
    const others = ids.filter((id) => id !== this.project.id);
    this.live.subscriptions.followOthers(others);
    this.unread.watch(others);
  }

  /** Without a network there is no countdown to the next attempt. */
  #show(state: Connection): void {
    if (state.state === 'waiting') this.#wasAway = true;
    const isOffline = state.state !== 'live' && !navigator.onLine;
    this.#connection[1](isOffline ? { state: 'offline' } : state);
  }

  /** The connection is open, for the first time or again. */
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

  /** The browser reports no network, but a hub on the same machine may still be reachable. */
  async #checkConnection(): Promise<void> {
    const refusal = await this.hub.me().then(
      () => undefined,
      (thrown: Refusal) => thrown,
    );
    if (!refusal?.isUnreachable || navigator.onLine) return;
    this.live.giveUp();
    this.#show(untrack(this.connection));
  }

  /** The reader lost access to a project. */
  async #checkProjects(): Promise<void> {
    await this.loadProjects();
    const isGone = !untrack(this.projects).some((one) => one.id === this.project.id);
    if (isGone && this.project.id) this.project.loseAccess();
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

  /**
   * The hub stored a message of the reader. It is added to the list before it leaves the outbox, so nothing flickers.
   */
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
