/**
 * The interface between the state and the components.
 *
 * Accessors are signals: read them in JSX, memos and effects. Values are immutable; a change is a new object.
 * Components never fetch, and change state only through `Commands`. `store.ts` implements it; `testing/fixtures.ts`
 * creates one with fixed values for tests.
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

export type Session =
  | { state: 'asking' }
  /** `was` is the name of the person whose session ended; the page keeps everything typed. */
  | { state: 'signed_out'; was?: string }
  | { state: 'signed_in'; me: Me };

/** The state of the live connection. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Lost: the next attempt, counted from 1, starts at this time (ms since 1970). */
  | { state: 'waiting'; attempt: number; retryAt: number }
  /** The browser reports no network. */
  | { state: 'offline' };

/** A message that is being sent. It has the id of the later message, so nothing moves when it is stored. */
export interface Outgoing {
  readonly id: string;
  readonly projectId: string;
  readonly conversationId: ConversationId;
  readonly body: string;
  readonly importance: Importance;
  readonly blocking: boolean;
  /** The question of a blocking message. */
  readonly ask?: Ask;
  readonly replyTo?: string;
  readonly attachments: readonly Attachment[];
  /** The author has confirmed a wide mention. */
  readonly confirmWide?: boolean;
  /** Creation time (ms since 1970). */
  readonly at: number;
  readonly status:
    | { state: 'waiting' }
    | { state: 'sending' }
    /** A permanent refusal: only the author can change that. */
    | { state: 'refused'; refusal: Refusal };
}

/** An unsent message, kept for each conversation over reloads. */
export interface Draft {
  readonly text: string;
  readonly importance: Importance;
  readonly blocking: boolean;
  /** The question of a blocking message: options, default, expiry. */
  readonly ask?: Ask;
  readonly attachments: readonly Attachment[];
  readonly replyTo?: string;
}

/** The text of a streaming message. Chunks arrive faster than signals should run, so components listen. */
export interface GrowingText {
  text(): string;
  /** Calls back with the whole text after each chunk, until the returned function is called. */
  listen(onText: (text: string) => void): () => void;
}

/** The state of one end of the loaded range. */
export type End = 'more' | 'loading' | 'failed' | 'reached';

/** The loaded messages of one conversation, kept up to date. Views of the same conversation share it. */
export interface MessageList {
  readonly conversationId: ConversationId;
  /** Nothing is loaded yet; `failed` is the reason, `reload` retries. */
  readonly loading: Accessor<boolean>;
  readonly failed: Accessor<Refusal | undefined>;
  /** Ids of the loaded messages, oldest first, followed by outgoing ones. */
  readonly ids: Accessor<readonly string[]>;
  /** One message as a signal. While it streams, `body` is not updated. */
  message(id: string): Message | undefined;
  /** An outgoing message; undefined as soon as `message` has it. */
  outgoing(id: string): Outgoing | undefined;
  /** The text of a message in state `streaming`. */
  growing(id: string): GrowingText | undefined;
  /** Steps of an answer: live while it streams, from the message afterwards. */
  steps(id: string): readonly Step[];
  readonly older: Accessor<End>;
  readonly newer: Accessor<End>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** Loads the messages around one, if it is not loaded; resolves to false when it does not exist. */
  loadAround(messageId: string): Promise<boolean>;
  /** Loads the newest messages, if they are not loaded. */
  loadNewest(): Promise<void>;
  reload(): Promise<void>;
  /** The read position when the conversation was opened; the "New" line follows it. */
  readonly readAtOpening: Accessor<number | undefined>;
  /** Updates `readAtOpening`: the reader returns to the conversation. */
  open(): void;
}

/** Unread counts of a conversation or project. */
export interface Unread {
  readonly messages: number;
  readonly mentions: number;
}

/** Settings of the reader, kept in the browser. */
export interface Preferences {
  readonly theme: 'system' | 'dark' | 'light';
  readonly density: 'comfortable' | 'compact';
  /** All messages on the left, with an edge in the colour of their source. */
  readonly singleColumn: boolean;
  /** Single-letter shortcuts, outside fields. */
  readonly letterKeys: boolean;
  /** Enter sends; otherwise Ctrl/⌘+Enter does. */
  readonly enterSends: boolean;
  /** Browser notifications about questions. */
  readonly notify: boolean;
}

/** Open questions to the reader in all projects, first to expire first. */
export interface Questions {
  /** `failed` only while nothing is loaded. */
  readonly state: 'loading' | 'ready' | 'failed';
  readonly items: readonly OpenQuestion[];
  readonly hasMore: boolean;
  readonly refusal?: Refusal;
}

/** One page of a list; `next` is the cursor of the next page. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** A change that may affect the context of an agent: an event, or missed events. */
export type ContextChange = { readonly event: LogEvent } | 'missed';

/** Commands about questions, runs and inboxes. Their code is loaded later. */
export interface WorkCommands {
  /** Answers or ignores a question. When it is closed (`PARLOUR-C12`), the message is updated before the rejection. */
  answer(messageId: string, give: GiveAnswer): Promise<Message>;
  withdraw(messageId: string): Promise<Message>;
  loadQuestions(): Promise<void>;
  loadMoreQuestions(): Promise<void>;
  /** Loads the deliveries again: reads by other people cause no event. */
  refreshDeliveries(messageId: string): Promise<void>;
  /** Loads a run; undefined when the reader can see no such run. */
  loadRun(id: string): Promise<Run | undefined>;
  listRuns(fields?: RunsQuery): Promise<PageOf<Run>>;
  /** Resumes a paused run without the answer to one message, or to all. */
  resumeRun(id: string, messageId?: string): Promise<Run>;
  cancelRun(id: string, reason?: string): Promise<Run>;
  /** Loads the timeline of a run or task. */
  loadTimeline(of: { run: string } | { task: string }, cursor?: string): Promise<PageOf<TimelineEntry>>;
  /** Loads the inbox of the reader in the open project. */
  loadInbox(cursor?: string): Promise<PageOf<InboxEntry>>;
  loadAgentInbox(agentId: string, cursor?: string): Promise<PageOf<InboxEntry>>;
  loadInboxCounts(agentId: string): Promise<InboxCounts>;
  /** Loads unread counts of an agent by conversation. */
  loadDigests(agentId: string, cursor?: string): Promise<PageOf<Digest>>;
  /** Marks everything up to this message as read, whether it is loaded or not. */
  markMessageRead(messageId: string): Promise<void>;
  /** Loads a redacted one-line preview, for use outside of the page. */
  loadPreview(messageId: string): Promise<string>;
  /** Loads the current context of an agent, limited to what the reader may read; `stop` aborts. */
  loadContext(agentId: string, ask: AskContext, stop?: AbortSignal): Promise<Pack>;
  /** Calls back on changes that may affect the context of an agent, until `stop`. */
  followContext(agentId: string, onChange: (news: ContextChange) => void, stop: AbortSignal): Promise<void>;
  /** Loads the newest messages of a conversation, newest first, independently of its list. */
  loadNewest(conversationId: ConversationId): Promise<readonly Message[]>;
  /** Loads the injections of a run, oldest first. */
  loadInjections(runId: string, cursor?: string): Promise<PageOf<Injection>>;
  /** Compares the injections of two runs. */
  compareRuns(before: string, after: string): Promise<Difference>;
}

/** Actions of the reader. A refused action rejects with a `Refusal`; nothing typed is lost. */
export interface Commands extends WorkCommands {
  /** Puts a message into the outbox; it is sent once and in order as soon as the hub can be reached. */
  send(conversationId: ConversationId, draft: Draft, options?: { confirmWide?: boolean }): void;
  /** Sends a refused message again; `confirmWide` confirms a wide mention. */
  retry(id: string, options?: { confirmWide?: boolean }): void;
  /** Removes a message from the outbox and returns it as a draft. */
  discard(id: string): Draft | undefined;
  edit(messageId: string, body: string): Promise<void>;
  remove(messageId: string): Promise<void>;
  toggleReaction(message: Message, emoji: string): Promise<void>;
  /** Marks everything up to this message as read; cheap to call often. */
  markRead(conversationId: ConversationId, seq: number): void;
  cancelAnswer(messageId: string): Promise<void>;
  /** Sends the question of this answer again. Resolves to false when somebody else asked it. */
  askAgain(answer: Message): Promise<boolean>;
  resetLoopGuard(conversationId: ConversationId): Promise<void>;
  noteTyping(conversationId: ConversationId): void;
  setDraft(conversationId: ConversationId, draft: Draft): void;
  /** Uploads a file; `onProgress` gets a share from 0 to 1. */
  upload(
    conversationId: ConversationId,
    file: File,
    options?: { onProgress?: (share: number) => void; signal?: AbortSignal },
  ): Promise<Attachment>;

  openProject(projectId: string): Promise<void>;
  createProject(fields: { name: string; description?: string }): Promise<Project>;
  createChannel(fields: { name: string; topic?: string; visibility: Visibility }): Promise<Channel>;
  updateChannel(id: string, patch: { name?: string; topic?: string; visibility?: Visibility }): Promise<Channel>;
  setArchived(channelId: string, isArchived: boolean): Promise<void>;
  addChannelMember(channelId: string, memberId: string): Promise<void>;
  removeChannelMember(channelId: string, memberId: string): Promise<void>;
  openDm(memberIds: readonly string[]): Promise<Dm>;
  openThread(message: Message): Promise<Thread>;
  /** Creates an invite for agents. */
  createInvite(fields: { label?: string; usesMax?: number }): Promise<InviteWithCode>;
  /** Lists all people of the hub. */
  listPeople(): Promise<readonly Person[]>;
  addProjectPerson(personId: string): Promise<void>;
  removeProjectPerson(personId: string): Promise<void>;
  /** Creates a person, adds it to the project and returns its sign-in link. Administrators only. */
  invitePerson(name: string): Promise<{ person: Person; link: string }>;
  createAgent(fields: {
    name: string;
    instructions?: string;
    engine?: { provider: string; model?: string };
  }): Promise<{ agent: Agent; token: string }>;
  listEngines(): Promise<readonly { provider: string; models: readonly string[] }[]>;

  search(query: string, cursor?: string): Promise<{ hits: readonly Hit[]; next?: string }>;
  /** Returns a message from the loaded ones or from the hub; undefined when the reader can see no such message. */
  findMessage(id: string): Promise<Message | undefined>;
  findArtifact(id: string): Promise<Artifact | undefined>;

  signIn(name: string, password: string): Promise<void>;
  signOut(): Promise<void>;
  rename(name: string): Promise<void>;
  setPassword(password: string, current?: string): Promise<void>;
  setPreferences(change: Partial<Preferences>): void;
  hubVersion(): Promise<string>;
  /** Reconnects now instead of later. */
  reconnect(): void;
}

/** The state of the page. */
export interface Store {
  readonly session: Accessor<Session>;
  readonly connection: Accessor<Connection>;
  readonly preferences: Accessor<Preferences>;
  readonly projects: Accessor<readonly Project[]>;
  /** Unread counts of the other projects, by id. */
  readonly unreadOfProjects: Accessor<ReadonlyMap<string, Unread>>;
  /** The open project; undefined while it loads. See `selectors.ts`. */
  readonly snapshot: Accessor<Snapshot | undefined>;
  /** Why the open project could not be loaded. */
  readonly failed: Accessor<Refusal | undefined>;
  /** People and agents of the open project by id. */
  readonly members: Accessor<ReadonlyMap<string, Member>>;
  readonly presence: Accessor<ReadonlyMap<string, Presence>>;
  /** Members who are typing, without the reader. */
  typing(conversationId: ConversationId): readonly string[];
  /** Answers that are being written in a conversation. */
  answering(conversationId: ConversationId): readonly { messageId: string; memberId?: string; name: string }[];
  messageList(conversationId: ConversationId): MessageList;
  draft(conversationId: ConversationId): Draft;
  /** Messages that are being sent or were refused, in all conversations. */
  readonly outbox: Accessor<readonly Outgoing[]>;
  /** Mentions in an own message that matched nobody; from the response of the hub. */
  mentionProblems(messageId: string): readonly MentionProblem[];
  /** Why an own reply did not answer its question. */
  answerProblem(messageId: string): AnswerProblem | undefined;
  /** Open runs of the project, oldest first. */
  readonly runs: Accessor<readonly Run[]>;
  /** A run with all its pauses; undefined until it is loaded. Reading it loads it. */
  run(id: string): Run | undefined;
  /** Deliveries of a message; undefined until they are loaded. Reading them loads them. */
  deliveries(messageId: string): readonly Delivery[] | undefined;
  readonly questions: Accessor<Questions>;
  readonly commands: Commands;
}

export const EMPTY_DRAFT: Draft = { text: '', importance: 'normal', blocking: false, attachments: [] };

/** Minimum interval between typing notices. */
export const TYPING_INTERVAL_MS = 3_000;
