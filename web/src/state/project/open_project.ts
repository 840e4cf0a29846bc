/** The open project: its snapshot and ephemeral state, kept up to date by events. */
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

/** Events that are buffered while a snapshot loads; beyond that a newer snapshot is loaded. */
export const PENDING_MAX = 5_000;

export interface ProjectParts {
  readonly hub: Hub;
  outbox(): readonly Outgoing[];
  /** The snapshot is loaded: follow the project from its position. */
  onOpened(projectId: string, position: string): void;
}

export class OpenProject {
  readonly #snapshot = createSignal<Snapshot | undefined>();
  readonly #failed = createSignal<Refusal | undefined>();
  readonly streams = new Streams();
  readonly typing = new TypingState();
  readonly presence = new PresenceState();
  readonly messageLists: MessageLists;
  #requestedId: string | undefined;
  #opening: Promise<void> | undefined;
  #isReloading = false;
  #mustReload = false;
  /** A new snapshot was needed and could not be loaded. */
  #isStale = false;
  #pending: LogEvent[] = [];
  /** Messages that are being loaded again. */
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

  /** The requested project. */
  get id(): string | undefined {
    return this.#requestedId;
  }

  /** Resolves when the snapshot is loaded. */
  ready(): Promise<void> {
    return this.snapshot() ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Opens a project. The last call wins: results of earlier ones are dropped. */
  open(projectId: string): Promise<void> {
    if (this.#requestedId === projectId && !this.failed() && this.#opening) return this.#opening;
    if (this.#requestedId !== projectId) this.#leave();
    this.#requestedId = projectId;
    this.#opening = this.#load(projectId);
    return this.#opening;
  }

  close(): void {
    this.#requestedId = undefined;
    this.#opening = undefined;
    this.#leave();
    this.messageLists.clear();
  }

  /** Loads the snapshot again; events that arrive meanwhile are applied after it. */
  async reload(): Promise<void> {
    this.#mustReload = true;
    const projectId = this.#requestedId;
    if (this.#isReloading || !projectId || !this.snapshot()) return;
    this.#isReloading = true;
    while (this.#mustReload && this.#requestedId === projectId) {
      this.#mustReload = false;
      const fresh = await this.parts.hub.snapshot(projectId).catch(() => undefined);
      if (this.#requestedId !== projectId) return;
      if (fresh) this.#take(fresh);
      else this.#isStale = true;
    }
    this.#isReloading = false;
  }

  /** The hub can be reached again: retries what failed and reloads ephemeral state. */
  catchUp(): void {
    const projectId = this.#requestedId;
    if (!projectId) return;
    if (this.failed()?.more.retryable) void this.open(projectId);
    if (this.#isStale) void this.reload();
    void this.presence.readAgain(() => this.parts.hub.presence(projectId));
    this.messageLists.catchUp();
  }

  /** The reader lost access to the open project. */
  loseAccess(): void {
    batch(() => {
      this.#leave();
      this.messageLists.clear();
      this.#failed[1](new Refusal('PARLOUR-N01', 'You no longer have access to this project.', { status: 404 }));
    });
  }

  /** Events were missed: loads everything again. */
  recover(): void {
    void this.reload();
    this.messageLists.refresh();
  }

  /** Applies an event of this project to snapshot, message lists and streams in one batch. */
  takeEvent(event: LogEvent): void {
    if (event.project_id !== this.#requestedId) return;
    batch(() => {
      this.#noteStream(event);
      this.messageLists.take(event);
      if (this.#isReloading) this.#keep(event);
      else this.#apply(event);
    });
  }

  takeEphemeral(frame: EphemeralFrame): void {
    if (frame.project_id !== this.#requestedId) return;
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
      if (this.#requestedId !== projectId) return;
      batch(() => {
        this.#take(snapshot);
        this.messageLists.begin(projectId);
      });
      this.parts.onOpened(projectId, snapshot.position);
      for (const resolve of this.#waiters.splice(0)) resolve();
    } catch (thrown) {
      if (this.#requestedId === projectId) this.#failed[1](toRefusal(thrown));
    }
  }

  /** Clears the open project. Message lists stay until it is known which belong to the next one. */
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

  /** Sets a snapshot, then applies buffered events. Streams that it does not contain have ended. */
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

  /** Loads a new snapshot when the reducer cannot apply an event. */
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

  /** A chunk did not match: loads the message. */
  async #readAgain(messageId: string): Promise<void> {
    if (this.#asked.has(messageId)) return;
    this.#asked.add(messageId);
    const message = await this.parts.hub.message(messageId).catch(() => undefined);
    this.#asked.delete(messageId);
    if (!message || message.project_id !== this.#requestedId) return;
    batch(() => {
      this.messageLists.peek(message.to)?.takeMessage(message);
      this.streams.see(message);
    });
  }

  /** Stream frames do not contain the author: loads the message. */
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
