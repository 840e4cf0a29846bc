/** The timelines of the open project: made when somebody looks, kept for a while, let go when there are many. */
import { getOwner, onCleanup, untrack } from 'solid-js';
import { type Change, conversationOfEvent } from '../../api/events';
import type { ConversationId, Message } from '../../api/model';
import { LiveMessageList, type MessageListParts } from './live_message_list';

/** Timelines that are kept, and messages in all of them; those that were not looked at for longest are let go. */
export const MESSAGE_LISTS_MAX = 20;
export const MESSAGES_MAX = 60_000;

export class MessageLists {
  /** In the order in which they were looked at. */
  readonly #byId = new Map<ConversationId, LiveMessageList>();
  /** How many components look at each. */
  readonly #viewers = new Map<ConversationId, number>();

  constructor(private readonly around: MessageListParts) {}

  /** The timeline of a conversation. It is not let go as long as the component that asks is there. */
  get(conversation: ConversationId): LiveMessageList {
    const messageList = this.#byId.get(conversation) ?? untrack(() => new LiveMessageList(conversation, this.around));
    this.#byId.delete(conversation);
    this.#byId.set(conversation, messageList);
    if (getOwner()) this.#countViewer(conversation);
    this.#letGo();
    return messageList;
  }

  /** The timeline of a conversation, if it was looked at. */
  peek(conversation: ConversationId): LiveMessageList | undefined {
    return this.#byId.get(conversation);
  }

  /** A message that is loaded anywhere. */
  find(messageId: string): Message | undefined {
    for (const messageList of this.#byId.values()) {
      const message = messageList.peek(messageId);
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
    for (const messageList of this.#byId.values()) messageList.catchUp();
  }

  /** Reads everything again: events were missed. */
  refresh(): void {
    for (const messageList of this.#byId.values()) void messageList.refresh();
  }

  /** A project was opened: lets go what is of others. What was asked for before may have missed something since. */
  begin(projectId: string): void {
    for (const [id, { projectId: its }] of this.#byId) if (its !== undefined && its !== projectId) this.#drop(id);
    for (const messageList of this.#byId.values()) if (messageList.readAtOpening() === undefined) messageList.open();
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
    let messages = [...this.#byId.values()].reduce((sum, messageList) => sum + messageList.size, 0);
    for (const [id, messageList] of this.#byId) {
      if (this.#byId.size <= MESSAGE_LISTS_MAX && messages <= MESSAGES_MAX) return;
      if (this.#viewers.has(id)) continue;
      messages -= messageList.size;
      this.#drop(id);
    }
  }

  #drop(conversation: ConversationId): void {
    this.#byId.get(conversation)?.dispose();
    this.#byId.delete(conversation);
  }
}
