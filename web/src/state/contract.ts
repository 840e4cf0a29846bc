/**
 * What components read and do: the whole seam between the state of the page and its looks.
 *
 * Accessors are signals: read them in JSX, memos and effects. Everything they answer is immutable; a change is a new
 * object. Components never fetch and never change state but through `Commands`. `store.ts` implements this, and
 * `testing.ts` makes one of fixed values for tests of components.
 */
import type { Accessor } from 'solid-js';
import type { AskContext, Difference, Injection, Pack } from '../api/context_model';
import type { LogEvent } from '../api/events';
import type {
  Agent,
  AnswerProblem,
  Artifact,
  Ask,
  Attachment,
  Channel,
  ConversationId,
  Delivery,
  Digest,
  Dm,
  GiveAnswer,
  Hit,
  Importance,
  InboxCounts,
  InboxEntry,
  InviteWithCode,
  Me,
  Member,
  MentionProblem,
  Message,
  OpenQuestion,
  Person,
  Presence,
  Project,
  Run,
  Snapshot,
  Step,
  Thread,
  TimelineEntry,
  Visibility,
} from '../api/model';
import type { Refusal } from '../api/refusal';
import type { RunsQuery } from '../api/work_requests';

/** Whether somebody is signed in with this browser. */
export type Session =
  | { state: 'asking' }
  /** `was` is who was signed in until the session ended; the page keeps everything typed. */
  | { state: 'signed_out'; was?: string }
  | { state: 'signed_in'; me: Me };

/** How the page hears of what happens, in the words that it shows. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Lost: the next try, counted from 1, begins at this time (ms since 1970). */
  | { state: 'waiting'; attempt: number; retryAt: number }
  /** The browser says that it has no network. */
  | { state: 'offline' };

/** A message on its way to the hub. It has the id that the message will have, so nothing moves when it arrives. */
export interface Outgoing {
  readonly id: string;
  readonly projectId: string;
  readonly conversationId: ConversationId;
  readonly body: string;
  readonly importance: Importance;
  readonly blocking: boolean;
  /** What it asks, when it is blocking. */
  readonly ask?: Ask;
  readonly replyTo?: string;
  readonly attachments: readonly Attachment[];
  /** The writer knows whom `@everyone` calls. */
  readonly confirmWide?: boolean;
  /** When it was written (ms since 1970). */
  readonly at: number;
  readonly status:
    | { state: 'waiting' }
    | { state: 'sending' }
    /** The hub said no, and says it again: only the writer can help. */
    | { state: 'refused'; refusal: Refusal };
}

/** What somebody has typed and not sent, kept for each conversation over reloads. */
export interface Draft {
  readonly text: string;
  readonly importance: Importance;
  readonly blocking: boolean;
  /** What it asks, when it is blocking: options, a default, when it expires. */
  readonly ask?: Ask;
  readonly attachments: readonly Attachment[];
  readonly replyTo?: string;
}

/** A text that an agent is writing. Chunks come faster than signals should run, so its reader listens instead. */
export interface GrowingText {
  /** The text so far. */
  text(): string;
  /** Calls back with the whole text after each piece, until the returned function is called. */
  listen(onText: (text: string) => void): () => void;
}

/** How far a conversation is loaded at one of its ends. */
export type End = 'more' | 'loading' | 'failed' | 'reached';

/** The messages of one conversation that are loaded, kept up to date. Two views of one conversation share it. */
export interface MessageList {
  readonly conversationId: ConversationId;
  /** Nothing is known yet; `failed` says why, and `reload` tries again. */
  readonly loading: Accessor<boolean>;
  readonly failed: Accessor<Refusal | undefined>;
  /** Ids of the loaded messages, oldest first, and of what is on its way behind them. */
  readonly ids: Accessor<readonly string[]>;
  /** One message; only readers of this one run when it changes. While it streams, `body` stays what it was at first. */
  message(id: string): Message | undefined;
  /** A message on its way; gone as soon as `message` has it. */
  outgoing(id: string): Outgoing | undefined;
  /** The growing text of a message whose state is `streaming`. */
  growing(id: string): GrowingText | undefined;
  /** What its writer did on the way: live while it streams, from the message after. */
  steps(id: string): readonly Step[];
  readonly older: Accessor<End>;
  readonly newer: Accessor<End>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** Loads what stands around a message, if it is not loaded; false when there is none. */
  loadAround(messageId: string): Promise<boolean>;
  /** Loads the newest messages, if they are not loaded. */
  loadNewest(): Promise<void>;
  reload(): Promise<void>;
  /** Up to which number everything was read when the conversation was opened: the line "New" stands behind it. */
  readonly readAtOpening: Accessor<number | undefined>;
  /** Takes `readAtOpening` anew: the reader comes back to the conversation. */
  open(): void;
}

/** Unread things of one conversation or project. */
export interface Unread {
  readonly messages: number;
  readonly mentions: number;
}

/** How the reader likes the page; kept in the browser. */
export interface Preferences {
  readonly theme: 'system' | 'dark' | 'light';
  readonly density: 'comfortable' | 'compact';
  /** All messages left, with an edge in the colour of their source. */
  readonly singleColumn: boolean;
  /** Single letters as shortcuts, outside fields. */
  readonly letterKeys: boolean;
  /** Enter sends; otherwise Ctrl/⌘+Enter does. */
  readonly enterSends: boolean;
  /** Tells of questions by notifications of the browser, where it allows them. */
  readonly notify: boolean;
}

/** The open questions to the reader in all projects, the one that expires soonest first. */
export interface Questions {
  /** `failed` only while nothing was read yet: what was read once stays. */
  readonly state: 'loading' | 'ready' | 'failed';
  readonly items: readonly OpenQuestion[];
  readonly hasMore: boolean;
  readonly refusal?: Refusal;
}

/** A page of a list; `next` brings the page after it. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** What has happened to what an agent would see: an event, or events that were missed. */
export type ContextChange = { readonly event: LogEvent } | 'missed';

/** Commands about questions, runs and inboxes: the part of the page that carries them out is loaded late. */
export interface WorkCommands {
  /** Answers a question, or says that the reader will not. Too late (`PARLOUR-C12`), and the message shows what became of it. */
  answer(messageId: string, give: GiveAnswer): Promise<Message>;
  /** Takes a question back. */
  withdraw(messageId: string): Promise<Message>;
  loadQuestions(): Promise<void>;
  loadMoreQuestions(): Promise<void>;
  /** Has the deliveries of a message read again: nobody is told when another person reads. */
  refreshDeliveries(messageId: string): Promise<void>;
  /** One run, ended or not; undefined when there is none for this reader. */
  loadRun(id: string): Promise<Run | undefined>;
  /** Runs of the open project, newest first. */
  listRuns(wish?: RunsQuery): Promise<PageOf<Run>>;
  /** Lets a paused run go on, without one of the messages that pause it or without all. */
  resumeRun(id: string, messageId?: string): Promise<Run>;
  cancelRun(id: string, reason?: string): Promise<Run>;
  /** What happened in a run or to a task, one moment after another. */
  loadTimeline(of: { run: string } | { task: string }, cursor?: string): Promise<PageOf<TimelineEntry>>;
  /** What the reader should not miss in the open project. */
  loadInbox(cursor?: string): Promise<PageOf<InboxEntry>>;
  loadAgentInbox(agentId: string, cursor?: string): Promise<PageOf<InboxEntry>>;
  loadInboxCounts(agentId: string): Promise<InboxCounts>;
  /** What is unread for an agent, by conversation. */
  loadDigests(agentId: string, cursor?: string): Promise<PageOf<Digest>>;
  /** Everything up to this message of its conversation is read, whether it is loaded or not. */
  markMessageRead(messageId: string): Promise<void>;
  /** A message as one line without its secrets, for what stands outside of the page. */
  loadPreview(messageId: string): Promise<string>;
  /** What the model of an agent would see now, as far as the reader may read it; `stop` breaks it off. */
  loadContext(agentId: string, ask: AskContext, stop?: AbortSignal): Promise<Pack>;
  /** Calls back when something happens that may change what this agent would see, until `stop`. */
  followContext(agentId: string, onChange: (news: ContextChange) => void, stop: AbortSignal): Promise<void>;
  /** The newest messages of a conversation, newest first, whatever of it is loaded. */
  loadNewest(conversationId: ConversationId): Promise<readonly Message[]>;
  /** What the model of a run was given, oldest first. */
  loadInjections(runId: string, cursor?: string): Promise<PageOf<Injection>>;
  /** How what two runs were given differs; the first is the one before. */
  compareRuns(before: string, after: string): Promise<Difference>;
}

/** What the reader can do. A refused wish rejects with a `Refusal`; nothing typed is lost by it. */
export interface Commands extends WorkCommands {
  /** Puts a message on its way; it is sent as soon as the hub can be reached, in order, once. */
  send(conversationId: ConversationId, draft: Draft, options?: { confirmWide?: boolean }): void;
  /** Tries a refused message again, as it is; `confirmWide` says that the writer knows whom `@everyone` calls. */
  retry(id: string, options?: { confirmWide?: boolean }): void;
  /** Takes back a message that has not arrived. Answers what was in it, for the composer. */
  discard(id: string): Draft | undefined;
  edit(messageId: string, body: string): Promise<void>;
  remove(messageId: string): Promise<void>;
  /** Adds or takes back the reader's reaction. */
  toggleReaction(message: Message, emoji: string): Promise<void>;
  /** Everything up to this message is read; cheap to call often. */
  markRead(conversationId: ConversationId, seq: number): void;
  /** Stops an answer. */
  cancelAnswer(messageId: string): Promise<void>;
  /** Posts the question again that led to this answer. False when it was another's: then the composer should ask. */
  askAgain(answer: Message): Promise<boolean>;
  resetLoopGuard(conversationId: ConversationId): Promise<void>;
  noteTyping(conversationId: ConversationId): void;
  setDraft(conversationId: ConversationId, draft: Draft): void;
  /** Uploads a file for a conversation; `onProgress` gets a share from 0 to 1. */
  upload(
    conversationId: ConversationId,
    file: File,
    options?: { onProgress?: (share: number) => void; signal?: AbortSignal },
  ): Promise<Attachment>;

  openProject(projectId: string): Promise<void>;
  createProject(wish: { name: string; description?: string }): Promise<Project>;
  createChannel(wish: { name: string; topic?: string; visibility: Visibility }): Promise<Channel>;
  updateChannel(id: string, patch: { name?: string; topic?: string; visibility?: Visibility }): Promise<Channel>;
  setArchived(channelId: string, isArchived: boolean): Promise<void>;
  addChannelMember(channelId: string, memberId: string): Promise<void>;
  removeChannelMember(channelId: string, memberId: string): Promise<void>;
  openDm(memberIds: readonly string[]): Promise<Dm>;
  openThread(message: Message): Promise<Thread>;
  /** An invite for agents. */
  createInvite(wish: { label?: string; usesMax?: number }): Promise<InviteWithCode>;
  /** Everybody of the hub; the reader may let them into the project. */
  listPeople(): Promise<readonly Person[]>;
  addProjectPerson(personId: string): Promise<void>;
  removeProjectPerson(personId: string): Promise<void>;
  /** A new person of the hub, let into the project, and the link by which they sign in: for administrators. */
  invitePerson(name: string): Promise<{ person: Person; link: string }>;
  createAgent(wish: {
    name: string;
    instructions?: string;
    engine?: { provider: string; model?: string };
  }): Promise<{ agent: Agent; token: string }>;
  listEngines(): Promise<readonly { provider: string; models: readonly string[] }[]>;

  search(query: string, cursor?: string): Promise<{ hits: readonly Hit[]; next?: string }>;
  /** One message by its id, from what is loaded or from the hub; undefined when there is none for this reader. */
  findMessage(id: string): Promise<Message | undefined>;
  findArtifact(id: string): Promise<Artifact | undefined>;

  signIn(name: string, password: string): Promise<void>;
  signOut(): Promise<void>;
  rename(name: string): Promise<void>;
  setPassword(password: string, current?: string): Promise<void>;
  setPreferences(change: Partial<Preferences>): void;
  /** The version of the hub, as it tells it itself. */
  hubVersion(): Promise<string>;
  /** Tries to connect now instead of later. */
  reconnect(): void;
}

/** The state of the page. */
export interface Store {
  readonly session: Accessor<Session>;
  readonly connection: Accessor<Connection>;
  readonly preferences: Accessor<Preferences>;
  readonly projects: Accessor<readonly Project[]>;
  /** Unread things of each project that is not open, by its id. */
  readonly unreadOfProjects: Accessor<ReadonlyMap<string, Unread>>;
  /** The open project as the reader sees it; undefined while it loads. `select.ts` answers questions about it. */
  readonly snapshot: Accessor<Snapshot | undefined>;
  /** Why the open project could not be loaded. */
  readonly failed: Accessor<Refusal | undefined>;
  /** By id, people and agents of the open project. */
  readonly members: Accessor<ReadonlyMap<string, Member>>;
  readonly presence: Accessor<ReadonlyMap<string, Presence>>;
  /** Who is typing in a conversation, without the reader. */
  typing(conversationId: ConversationId): readonly string[];
  /** Which answers are being written in a conversation. */
  answering(conversationId: ConversationId): readonly { messageId: string; memberId?: string; name: string }[];
  messageList(conversationId: ConversationId): MessageList;
  draft(conversationId: ConversationId): Draft;
  /** What is on its way or was refused, in all conversations. */
  readonly outbox: Accessor<readonly Outgoing[]>;
  /** Names in a message of the reader that called nobody; told with the answer of the hub. */
  mentionProblems(messageId: string): readonly MentionProblem[];
  /** Why a message of the reader did not answer the question that it replies to. */
  answerProblem(messageId: string): AnswerProblem | undefined;
  /** The runs of the open project that have not ended, oldest first, as everybody is told of them. */
  readonly runs: Accessor<readonly Run[]>;
  /** One run, ended or not, with all that pauses it; undefined until it is known. Reading it has it loaded. */
  run(id: string): Run | undefined;
  /** What became of a message for each of its recipients; undefined until it is known. Reading it has it loaded. */
  deliveries(messageId: string): readonly Delivery[] | undefined;
  readonly questions: Accessor<Questions>;
  readonly commands: Commands;
}

/** A draft of nothing. */
export const EMPTY_DRAFT: Draft = { text: '', importance: 'normal', blocking: false, attachments: [] };
