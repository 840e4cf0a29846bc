/** The messages of one conversation as signals, followed by outgoing messages. */
import { batch, createMemo, createRoot, createSignal } from 'solid-js';
import type { Change } from '../../api/events';
import type { ConversationId, Message, Step } from '../../api/model';
import type { GrowingText, MessageList, Outgoing } from '../contract';
import { Triggers } from '../triggers';
import { LOADED_MESSAGES_MAX, LoadedMessages } from './loaded_messages';
import { MessageLoader, type MessageLoaderParts } from './message_loader';
import type { Streams } from './streams';

export interface MessageListParts extends Pick<MessageLoaderParts, 'hub' | 'ready'> {
  readonly streams: Streams;
  /** A signal: outgoing messages of all conversations. */
  outbox(): readonly Outgoing[];
  /** The read position, if something is unread. */
  unreadAfter(conversation: ConversationId): number | undefined;
}

export class LiveMessageList implements MessageList {
  readonly #model: LoadedMessages;
  readonly #load: MessageLoader;
  /** Signals of single messages. */
  readonly #messages = new Triggers();
  readonly #loaded = createSignal<readonly string[]>([]);
  readonly #readAtOpening = createSignal<number | undefined>();
  readonly ids: () => readonly string[];
  readonly dispose: () => void;

  constructor(
    readonly conversationId: ConversationId,
    private readonly around: MessageListParts,
  ) {
    this.#model = new LoadedMessages(conversationId, around.streams);
    const { hub, ready } = around;
    this.#load = new MessageLoader(this.#model, { hub, ready, onChange: (changed) => this.#show(changed) });
    const [ids, dispose] = createRoot((end) => {
      const all = createMemo(() => this.#allIds(), undefined, { equals: areSame });
      return [all, end] as const;
    });
    this.ids = ids;
    this.dispose = dispose;
    void ready().then(() => this.#readAtOpening[0]() === undefined && this.open());
  }

  loading = () => this.#load.isLoading();
  failed = () => this.#load.failed();
  older = () => this.#load.older();
  newer = () => this.#load.newer();
  readAtOpening = () => this.#readAtOpening[0]();

  reload = () => this.#load.reload();
  loadNewest = () => this.#load.loadNewest();
  loadAround = (messageId: string) => this.#load.loadAround(messageId);
  loadOlder = () => this.#load.loadOlder();
  loadNewer = () => this.#load.loadNewer();
  /** Loads the range again: events may have been missed. */
  refresh = () => this.#load.refresh();
  /** The hub can be reached again. */
  catchUp = () => this.#load.catchUp();
  /** Resolves when no message is known to be missing. */
  whole = () => this.#load.whole();
  take = (change: Change) => this.#load.take(change);
  /** Applies a message from a response. */
  takeMessage = (message: Message) => this.#load.takeMessage(message);

  /** The project of its messages, once one is loaded. */
  get projectId(): string | undefined {
    return this.#model.get(this.#model.ids[0] ?? '')?.project_id;
  }

  get size(): number {
    return this.#model.ids.length;
  }

  open(): void {
    this.#readAtOpening[1](this.around.unreadAfter(this.conversationId));
  }

  message(id: string): Message | undefined {
    this.#messages.track(id);
    return this.#model.get(id);
  }

  /** Returns a message without tracking it. */
  peek(id: string): Message | undefined {
    return this.#model.get(id);
  }

  /** Returns the newest loaded message up to a number. */
  upTo(seq: number): Message | undefined {
    return this.#model.upTo(seq);
  }

  outgoing(id: string): Outgoing | undefined {
    const found = this.around.outbox().find((one) => one.id === id && one.conversationId === this.conversationId);
    return found && !this.message(id) ? found : undefined;
  }

  growing(id: string): GrowingText | undefined {
    return this.message(id)?.state === 'streaming' ? this.around.streams.get(id)?.text : undefined;
  }

  steps(id: string): readonly Step[] {
    const message = this.message(id);
    const stream = message?.state === 'streaming' ? this.around.streams.get(id) : undefined;
    return stream ? stream.steps() : (message?.steps ?? []);
  }

  #show(changed: readonly string[] | 'all'): void {
    batch(() => {
      if (changed === 'all') this.#messages.runAll();
      else for (const id of changed) this.#messages.run(id);
      this.#messages.prune(2 * LOADED_MESSAGES_MAX, (id) => this.#model.get(id) !== undefined);
      this.#loaded[1](this.#model.ids);
    });
  }

  /** Outgoing messages follow the newest message; they are left out while it is not loaded. */
  #allIds(): readonly string[] {
    const loaded = this.#loaded[0]();
    const isAtEnd = this.newer() === 'reached' || this.loading();
    const waiting = isAtEnd ? this.around.outbox().filter((one) => one.conversationId === this.conversationId) : [];
    const behind = waiting.filter((one) => !this.#model.get(one.id)).map((one) => one.id);
    return behind.length > 0 ? [...loaded, ...behind] : loaded;
  }
}

function areSame(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return one === other || (one?.length === other?.length && !!one?.every((id, index) => id === other?.[index]));
}
