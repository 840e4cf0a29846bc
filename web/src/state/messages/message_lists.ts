/** The timelines of the open project: made when somebody looks, kept for a while, let go when there are many. */
import { getOwner, onCleanup, untrack } from 'solid-js';
import { type Change, conversationOfEvent } from '../../api/events';
import type { ConversationId, Message } from '../../api/model';
import { ConversationTimeline, type Surroundings } from './live_message_list';

/** Timelines that are kept, and messages in all of them; those that were not looked at for longest are let go. */
export const TIMELINES_MAX = 20;
export const MESSAGES_MAX = 60_000;

export class Timelines {
  /** In the order in which they were looked at. */
  readonly #byId = new Map<ConversationId, ConversationTimeline>();
  /** How many components look at each. */
  readonly #viewers = new Map<ConversationId, number>();

  constructor(private readonly around: Surroundings) {}

  /** The timeline of a conversation. It is not let go as long as the component that asks is there. */
  get(conversation: ConversationId): ConversationTimeline {
    const timeline = this.#byId.get(conversation) ?? untrack(() => new ConversationTimeline(conversation, this.around));
    this.#byId.delete(conversation);
    this.#byId.set(conversation, timeline);
    if (getOwner()) this.#countViewer(conversation);
    this.#letGo();
    return timeline;
  }

  /** The timeline of a conversation, if it was looked at. */
  peek(conversation: ConversationId): ConversationTimeline | undefined {
    return this.#byId.get(conversation);
  }

  /** A message that is loaded anywhere. */
  find(messageId: string): Message | undefined {
    for (const timeline of this.#byId.values()) {
      const message = timeline.peek(messageId);
      if (message) return message;
    }
    return undefined;
  }

  take(change: Change): void {
    const conversation = conversationOfEvent(change);
    if (conversation) this.#byId.get(conversation)?.take(change);
  }

  /** The hub can be reached again. */
  catchUp(): void {
    for (const timeline of this.#byId.values()) timeline.catchUp();
  }

  /** Reads everything again: events were missed. */
  refresh(): void {
    for (const timeline of this.#byId.values()) void timeline.refresh();
  }

  /** A project was opened: lets go what is of others. What was asked for before may have missed something since. */
  begin(projectId: string): void {
    for (const [id, { projectId: its }] of this.#byId) if (its !== undefined && its !== projectId) this.#drop(id);
    for (const timeline of this.#byId.values()) if (timeline.readAtOpening() === undefined) timeline.open();
    this.refresh();
  }

  clear(): void {
    for (const id of [...this.#byId.keys()]) this.#drop(id);
  }

  #countViewer(conversation: ConversationId): void {
    this.#viewers.set(conversation, (this.#viewers.get(conversation) ?? 0) + 1);
    onCleanup(() => {
      const left = (this.#viewers.get(conversation) ?? 1) - 1;
      if (left > 0) this.#viewers.set(conversation, left);
      else this.#viewers.delete(conversation);
    });
  }

  #letGo(): void {
    let messages = [...this.#byId.values()].reduce((sum, timeline) => sum + timeline.size, 0);
    for (const [id, timeline] of this.#byId) {
      if (this.#byId.size <= TIMELINES_MAX && messages <= MESSAGES_MAX) return;
      if (this.#viewers.has(id)) continue;
      messages -= timeline.size;
      this.#drop(id);
    }
  }

  #drop(conversation: ConversationId): void {
    this.#byId.get(conversation)?.dispose();
    this.#byId.delete(conversation);
  }
}
