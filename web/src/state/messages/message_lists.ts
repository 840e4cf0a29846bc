/** The message lists of the open project: created on first use, dropped when there are too many. */
import { getOwner, onCleanup, untrack } from 'solid-js';
import { type Change, conversationOfEvent } from '../../api/events';
import type { ConversationId, Message } from '../../api/model';
import { LiveMessageList, type MessageListParts } from './live_message_list';

/** Limits for lists and for messages in all of them; the least recently used lists are dropped. */
export const MESSAGE_LISTS_MAX = 20;
export const MESSAGES_MAX = 60_000;

export class MessageLists {
  /** Least recently used first. */
  readonly #byId = new Map<ConversationId, LiveMessageList>();
  /** Number of components that use each list. */
  readonly #viewers = new Map<ConversationId, number>();

  constructor(private readonly around: MessageListParts) {}

  /** Returns the list of a conversation. It is kept while the calling component is mounted. */
  get(conversation: ConversationId): LiveMessageList {
    const messageList = this.#byId.get(conversation) ?? untrack(() => new LiveMessageList(conversation, this.around));
    this.#byId.delete(conversation);
    this.#byId.set(conversation, messageList);
    if (getOwner()) this.#countViewer(conversation);
    this.#evict();
    return messageList;
  }

  /** Returns the list of a conversation, if it exists. */
  peek(conversation: ConversationId): LiveMessageList | undefined {
    return this.#byId.get(conversation);
  }

  /** Finds a message in any list. */
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

  catchUp(): void {
    for (const messageList of this.#byId.values()) messageList.catchUp();
  }

  /** Loads all lists again: events were missed. */
  refresh(): void {
    for (const messageList of this.#byId.values()) void messageList.refresh();
  }

  /** A project was opened: drops lists of other projects and loads the others again. */
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

  #evict(): void {
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
