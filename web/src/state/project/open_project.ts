/** The open project: its snapshot, and everything of the moment in it, kept up to date by what the hub tells. */
import { batch, createSignal } from 'solid-js';
import type { EphemeralFrame, LogEvent } from '../../api/events';
import type { Hub } from '../../api/hub';
import type { ConversationId, Snapshot } from '../../api/model';
import { Refusal, toRefusal } from '../../api/refusal';
import type { Outgoing } from '../contract';
import { MessageLists } from '../messages/message_lists';
import { Streams } from '../messages/streams';
import { reduce } from '../reduce/reduce';
import { readingOf } from '../selectors';
import { PresenceState } from './presence';
import { TypingState } from './typing';

/** Events that wait for a snapshot that is being loaded; when there are more, a newer one is loaded. */
export const PENDING_MAX = 5_000;

export interface ProjectParts {
  readonly hub: Hub;
  /** A signal: what is on its way. */
  outbox(): readonly Outgoing[];
  /** A snapshot is there: follow the project after its position. */
  onOpened(projectId: string, position: string): void;
}

export class OpenProject {
  readonly #snapshot = createSignal<Snapshot | undefined>();
  readonly #failed = createSignal<Refusal | undefined>();
  readonly streams = new Streams();
  readonly typing = new TypingState();
  readonly presence = new PresenceState();
  readonly messageLists: MessageLists;
  #wish: string | undefined;
  #opening: Promise<void> | undefined;
  #isReloading = false;
  #mustReload = false;
  /** A fresh snapshot was needed and could not be loaded. */
  #isStale = false;
  #pending: LogEvent[] = [];
  /** Messages that are being read again. */
  readonly #asked = new Set<string>();
  #waiters: (() => void)[] = [];

  constructor(private readonly parts: ProjectParts) {
    this.messageLists = new MessageLists({
      hub: parts.hub,
      streams: this.streams,
      outbox: parts.outbox,
      unreadAfter: (conversation) => this.#unreadAfter(conversation),
      ready: () => this.ready(),
    });
  }

  snapshot = () => this.#snapshot[0]();
  failed = () => this.#failed[0]();

  /** The project that the reader wants to see. */
  get id(): string | undefined {
    return this.#wish;
  }

  /** Settles as soon as there is a snapshot. */
  ready(): Promise<void> {
    return this.snapshot() ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Opens a project. The last wish wins: answers to earlier ones are dropped. */
  open(projectId: string): Promise<void> {
    if (this.#wish === projectId && !this.failed() && this.#opening) return this.#opening;
    if (this.#wish !== projectId) this.#leave();
    this.#wish = projectId;
    this.#opening = this.#load(projectId);
    return this.#opening;
  }

  close(): void {
    this.#wish = undefined;
    this.#opening = undefined;
    this.#leave();
    this.messageLists.clear();
  }

  /** Loads the snapshot again; events that come meanwhile are applied after it. */
  async reload(): Promise<void> {
    this.#mustReload = true;
    const projectId = this.#wish;
    if (this.#isReloading || !projectId || !this.snapshot()) return;
    this.#isReloading = true;
    while (this.#mustReload && this.#wish === projectId) {
      this.#mustReload = false;
      const fresh = await this.parts.hub.snapshot(projectId).catch(() => undefined);
      if (this.#wish !== projectId) return;
      if (fresh) this.#take(fresh);
      else this.#isStale = true;
    }
    this.#isReloading = false;
  }

  /** The hub can be reached again: reads what could not be read, and what is of the moment. */
  catchUp(): void {
    const projectId = this.#wish;
    if (!projectId) return;
    if (this.failed()?.more.retryable) void this.open(projectId);
    if (this.#isStale) void this.reload();
    void this.presence.readAgain(() => this.parts.hub.presence(projectId));
    this.messageLists.catchUp();
  }

  /** The reader may no longer read the open project. */
  lose(): void {
    batch(() => {
      this.#leave();
      this.messageLists.clear();
      this.#failed[1](new Refusal('PARLOUR-N01', 'This project is not open to you any more.', { status: 404 }));
    });
  }

  /** Events were missed: nothing that is shown can be trusted to be the newest. */
  recover(): void {
    void this.reload();
    this.messageLists.refresh();
  }

  /** Takes an event of this project; snapshot, timelines and texts change together. */
  takeEvent(event: LogEvent): void {
    if (event.project_id !== this.#wish) return;
    batch(() => {
      this.#noteStream(event);
      this.messageLists.take(event);
      if (this.#isReloading) this.#keep(event);
      else this.#apply(event);
    });
  }

  /** Takes what is of the moment. */
  takeEphemeral(frame: EphemeralFrame): void {
    if (frame.project_id !== this.#wish) return;
    switch (frame.type) {
      case 'stream':
        this.streams.set(frame);
        void this.#learn(frame.message_id);
        return;
      case 'chunk':
        if (this.streams.grow(frame) === 'misplaced') void this.#readAgain(frame.message_id);
        return;
      case 'step_started':
      case 'step_finished':
        this.streams.step(frame.message_id, frame.step);
        return;
      case 'typing':
        this.typing.note(frame);
        return;
      case 'presence':
        void this.presence.take(frame, () => this.parts.hub.presence(frame.project_id));
        return;
    }
  }

  async #load(projectId: string): Promise<void> {
    this.#failed[1](undefined);
    try {
      const snapshot = await this.parts.hub.snapshot(projectId);
      if (this.#wish !== projectId) return;
      batch(() => {
        this.#take(snapshot);
        this.messageLists.begin(projectId);
      });
      this.parts.onOpened(projectId, snapshot.position);
      for (const resolve of this.#waiters.splice(0)) resolve();
    } catch (thrown) {
      if (this.#wish === projectId) this.#failed[1](toRefusal(thrown));
    }
  }

  /** Forgets the project that was open. Timelines stay until it is known which of them are of the next one. */
  #leave(): void {
    batch(() => {
      this.#snapshot[1](undefined);
      this.#failed[1](undefined);
      this.#pending = [];
      this.#isReloading = false;
      this.streams.clear();
      this.typing.clear();
      this.presence.set([]);
    });
  }

  /** Takes a snapshot, then the events that came while it was loaded; answers that it does not know have ended. */
  #take(snapshot: Snapshot): void {
    this.#isStale = false;
    batch(() => {
      this.#snapshot[1](snapshot);
      this.presence.set(snapshot.presence ?? []);
      const running = new Set((snapshot.streams ?? []).map((stream) => stream.message_id));
      for (const { messageId } of this.streams.all()) if (!running.has(messageId)) void this.#readAgain(messageId);
      for (const stream of snapshot.streams ?? []) {
        this.streams.set(stream);
        void this.#learn(stream.message_id);
      }
      for (const event of this.#pending.splice(0)) this.#apply(event);
    });
  }

  /** When the reducer cannot go on, a fresh snapshot can. */
  #apply(event: LogEvent): void {
    const before = this.snapshot();
    if (!before) return;
    const { snapshot, outcome } = reduce(before, event);
    this.#snapshot[1](snapshot);
    if (outcome === 'reload' || outcome === 'hole') void this.reload();
  }

  #keep(event: LogEvent): void {
    this.#pending.push(event);
    if (this.#pending.length <= PENDING_MAX) return;
    this.#pending = [];
    this.#mustReload = true;
  }

  #noteStream(event: LogEvent): void {
    if (event.name === 'messaging.posted') {
      this.streams.see(event.data);
      if (event.data.from.id) this.typing.end(event.data.to, event.data.from.id);
    } else if (event.name === 'messaging.finished' || event.name === 'messaging.removed') {
      this.streams.end(event.data.id);
    }
  }

  /** A text does not fit together: reads its message as it is now. */
  async #readAgain(messageId: string): Promise<void> {
    if (this.#asked.has(messageId)) return;
    this.#asked.add(messageId);
    const message = await this.parts.hub.message(messageId).catch(() => undefined);
    this.#asked.delete(messageId);
    if (!message || message.project_id !== this.#wish) return;
    batch(() => {
      this.messageLists.peek(message.to)?.takeMessage(message);
      this.streams.see(message);
    });
  }

  /** Who writes an answer is not told with its text. */
  async #learn(messageId: string): Promise<void> {
    if (this.streams.get(messageId)?.from) return;
    const loaded = this.messageLists.find(messageId);
    if (loaded) this.streams.see(loaded);
    else await this.#readAgain(messageId);
  }

  #unreadAfter(conversation: ConversationId): number | undefined {
    const snapshot = this.snapshot();
    const reading = snapshot && readingOf(snapshot, conversation);
    return reading && reading.unread > 0 ? reading.read_seq : undefined;
  }
}
