/** A fake hub with one project and one log; the test decides when and how often clients receive frames. */
import type { Change, EphemeralFrame, LogEvent } from '../../api/events';
import type { HistoryQuery, Hub, Page } from '../../api/hub';
import type { Message, Running, Snapshot } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { reduce } from '../reduce/reduce';
import { aMessage, aSnapshot } from './fixtures';
import { deferred } from './tools';

export type SentFrame = { event: LogEvent } | { ephemeral: EphemeralFrame };

/** A pending request: the hub reads the result first, and it arrives later. */
export interface Request {
  readonly what: string;
  read(): void;
  arrive(): void;
}

const PROJECT = 'prj_1';

export class FakeServer {
  snapshot: Snapshot = aSnapshot();
  readonly sentFrames: SentFrame[] = [];
  readonly requests: Request[] = [];
  readonly #messages = new Map<string, Message>();
  /** Messages per page, whatever was requested. */
  pageMax = 200;
  /** Answers at once, without waiting for the test. */
  isQuick = false;

  messages(conversation: string): Message[] {
    return [...this.#messages.values()].filter((message) => message.to === conversation);
  }

  message(id: string): Message {
    return this.#messages.get(id) ?? expectMessage(id);
  }

  post(more: Partial<Message> = {}): Message {
    const to = more.to ?? 'chn_general';
    const seq = this.messages(to).length + 1;
    const id = more.id ?? `msg_${to}_${seq}`;
    const message = aMessage({ body: `${seq}`, ...more, to, seq, id });
    this.#tell({ name: 'messaging.posted', data: this.#put(message) });
    return message;
  }

  edit(id: string, body: string): void {
    const edited_at = '2026-03-02T09:13:00.000Z';
    this.#tell({ name: 'messaging.edited', data: this.#put({ ...this.message(id), body, edited_at }) });
  }

  remove(id: string): void {
    const { reactions: _, ...message } = this.message(id);
    const gone: Message = { ...message, body: '', state: 'complete', removed_at: '2026-03-02T09:14:00.000Z' };
    this.#tell({ name: 'messaging.removed', data: this.#put(gone) });
  }

  chunk(id: string, text: string): void {
    const { body, to } = this.message(id);
    this.#put({ ...this.message(id), body: body + text });
    const start = [...body].length;
    const chunk = { message_id: id, conversation_id: to, start, text, project_id: PROJECT };
    this.sentFrames.push({ ephemeral: { type: 'chunk', ...chunk } });
  }

  finish(id: string): void {
    this.#tell({ name: 'messaging.finished', data: this.#put({ ...this.message(id), state: 'complete' }) });
  }

  react(id: string, member_id: string, emoji = '👍'): void {
    const message = this.message(id);
    const members = message.reactions?.find((one) => one.emoji === emoji)?.members ?? [];
    const mark = { message_id: id, conversation_id: message.to, emoji, member_id };
    const isThere = members.includes(member_id);
    const next = isThere ? members.filter((one) => one !== member_id) : [...members, member_id];
    const others = (message.reactions ?? []).filter((one) => one.emoji !== emoji);
    const reactions = next.length > 0 ? [...others, { emoji, members: next }] : others;
    const { reactions: _, ...bare } = message;
    this.#put(reactions.length > 0 ? { ...bare, reactions } : bare);
    this.#tell({ name: isThere ? 'messaging.unreacted' : 'messaging.reacted', data: mark });
  }

  /** The part of the API that message lists and projects use. */
  readonly hub = {
    snapshot: () => this.#ask('snapshot', () => this.#snapshotNow()),
    history: (conversation: string, query: HistoryQuery = {}) =>
      this.#ask(`history ${JSON.stringify(query)}`, () => this.#page(conversation, query)),
    message: (id: string) => this.#ask(`message ${id}`, () => this.#messages.get(id)),
    presence: () => Promise.resolve([]),
  } as unknown as Hub;

  /** Answers all requests, and those that follow. */
  async answerAll(flushMicrotasks: () => Promise<void>): Promise<void> {
    for (await flushMicrotasks(); this.requests.length > 0; await flushMicrotasks()) {
      const [request] = this.requests;
      request?.read();
      request?.arrive();
    }
  }

  /** Streaming answers with their whole text. */
  running(): Running[] {
    const running = [...this.#messages.values()].filter((message) => message.state === 'streaming');
    return running.map(({ id, to, body }) => {
      return { message_id: id, conversation_id: to, text: body, steps: [], project_id: PROJECT };
    });
  }

  #snapshotNow(): Snapshot {
    return { ...this.snapshot, streams: this.running() };
  }

  #page(conversation: string, { before, since, limit = 50 }: HistoryQuery): Page<Message> {
    const all = this.messages(conversation);
    const wanted =
      since === undefined
        ? all.filter(({ seq }) => seq < Number(before ?? Number.POSITIVE_INFINITY)).toReversed()
        : all.filter(({ seq }) => seq > Number(since));
    const most = Math.min(limit, this.pageMax);
    return { items: wanted.slice(0, most), ...(wanted.length > most ? { next: 'more' } : {}) };
  }

  #ask<Answer>(what: string, answer: () => Answer): Promise<Answer> {
    if (this.isQuick) return Promise.resolve(answer());
    const { promise, resolve } = deferred<Answer>();
    let value: { answer: Answer } | undefined;
    const read = () => {
      value ??= { answer: structuredClone(answer()) };
    };
    const request: Request = {
      what,
      read,
      arrive: () => {
        read();
        this.requests.splice(this.requests.indexOf(request), 1);
        if (value) resolve(value.answer);
      },
    };
    this.requests.push(request);
    return promise;
  }

  #put(message: Message): Message {
    this.#messages.set(message.id, message);
    return message;
  }

  #tell(change: Change): void {
    const offset = Number(this.snapshot.position.split('-')[1]) + 1;
    const frame = { position: `A0-${offset}`, project_id: PROJECT, at: '', actor: { type: 'host', name: 'Hub' } };
    const event = structuredClone({ ...frame, ...change }) as LogEvent;
    this.snapshot = reduce(this.snapshot, event).snapshot;
    this.sentFrames.push({ event });
  }
}

function expectMessage(id: string): never {
  throw new Refusal('PARLOUR-N01', `There is no ${id}.`, { status: 404 });
}
