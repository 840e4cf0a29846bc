/** Questions, runs, deliveries and inboxes: the part of the state that is loaded later. */
import { batch, untrack } from 'solid-js';
import type { Client } from '../../api/client';
import type { LogEvent } from '../../api/events';
import type { Page } from '../../api/hub';
import type { AnswerProblem, Delivery, Message, Run } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { createWorkRequests, type PageQuery, type WorkRequests } from '../../api/work_requests';
import type { PageOf, WorkCommands } from '../contract';
import type { OpenProject } from '../project/open_project';
import { RecordCache } from '../record_cache';
import { Triggers } from '../triggers';
import { ContextWatchers } from './context_watchers';
import { OpenQuestions } from './open_questions';

const PROBLEMS_MAX = 100;

/** Refusal code: the question is closed. */
export const QUESTION_CLOSED = 'PARLOUR-C12';

export interface WorkParts {
  readonly client: Client;
  readonly project: Pick<OpenProject, 'id' | 'messageLists' | 'snapshot'>;
  memberId(): string | undefined;
  message(id: string): Promise<Message | undefined>;
}

export class Work {
  readonly requests: WorkRequests;
  readonly deliveries: RecordCache<readonly Delivery[]>;
  readonly runs: RecordCache<Run>;
  readonly openQuestions: OpenQuestions;
  readonly contexts = new ContextWatchers();
  readonly commands: WorkCommands;
  readonly #problems = new Map<string, AnswerProblem>();
  readonly #problemsChanged = new Triggers();

  constructor(private readonly parts: WorkParts) {
    const requests = createWorkRequests(parts.client);
    this.requests = requests;
    this.deliveries = new RecordCache((id) => requests.deliveries(id));
    this.runs = new RecordCache((id) => requests.run(id));
    this.openQuestions = new OpenQuestions({ requests, memberId: () => parts.memberId() });
    this.commands = createCommands(this, parts);
    this.openQuestions.begin();
  }

  end(): void {
    this.openQuestions.end();
  }

  /** Another member, or nobody, is signed in. */
  clear(): void {
    this.openQuestions.clear();
    this.forgetProject();
    this.#problems.clear();
  }

  forgetProject(): void {
    this.deliveries.clear();
    this.runs.clear();
  }

  /** The hub can be reached again, or events were missed: loads everything again. */
  catchUp(): void {
    this.deliveries.refreshAll();
    this.runs.refreshAll();
    this.contexts.missed();
    void this.openQuestions.read();
  }

  /** Applies an event of any followed project. */
  take(event: LogEvent): void {
    this.openQuestions.take(event);
    this.contexts.take(event, this.parts.project.snapshot());
    switch (event.name) {
      case 'messaging.delivered':
        for (const one of event.data.deliveries) this.#takeDelivery(one);
        return;
      case 'messaging.posted':
      case 'messaging.finished':
        this.#noteAnswer(event.data);
        return;
      case 'messaging.read':
        this.#noteReader(event.data.reader);
        return;
      case 'messaging.question':
        this.deliveries.refresh(event.data.message_id);
        return;
      case 'runs.started':
      case 'runs.paused':
      case 'runs.resumed':
      case 'runs.ended':
        this.#takeRun(event.data);
    }
  }

  /** Applies a message from a response, before its event arrives. */
  takeMessage(message: Message): void {
    batch(() => {
      this.parts.project.messageLists.peek(message.to)?.takeMessage(message);
      if (message.question?.state !== 'open' || this.#isIgnored(message)) this.openQuestions.drop(message.id);
    });
  }

  /** A signal: why an own reply did not answer its question. */
  answerProblem(messageId: string): AnswerProblem | undefined {
    this.#problemsChanged.track(messageId);
    return this.#problems.get(messageId);
  }

  noteAnswerProblem(messageId: string, problem: AnswerProblem): void {
    this.#problems.set(messageId, problem);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > PROBLEMS_MAX && oldest !== undefined) this.#problems.delete(oldest);
    this.#problemsChanged.run(messageId);
  }

  /** Events of a run do not contain all its pauses: it is loaded again on the next read. */
  #takeRun(run: Run): void {
    if (this.runs.peek(run.id)) this.runs.put(run.id, run);
    if (run.state === 'paused' || !this.runs.peek(run.id)) this.runs.refresh(run.id);
  }

  #takeDelivery(delivery: Delivery): void {
    this.deliveries.change(delivery.message_id, (list) => {
      const index = list.findIndex((one) => one.recipient === delivery.recipient);
      return index < 0 ? [...list, delivery] : list.with(index, delivery);
    });
  }

  /** A member has read: its deliveries may have been seen. */
  #noteReader(reader: string): void {
    const isBehind = (one: Delivery) => one.recipient === reader && one.state === 'stored';
    this.deliveries.refreshWhere((list) => list.some(isBehind));
  }

  /** Answers change deliveries without a separate event. */
  #noteAnswer(message: Message): void {
    if (message.state === 'streaming') return;
    for (const id of new Set([message.reply_to, message.cause?.message_id, message.answer_to?.message_id])) {
      if (id) this.deliveries.refresh(id);
    }
  }

  #isIgnored(message: Message): boolean {
    return !!message.question?.ignored_by?.includes(this.parts.memberId() ?? '');
  }
}

function createCommands(work: Work, parts: WorkParts): WorkCommands {
  const { requests } = work;
  const projectId = () => {
    const id = untrack(() => parts.project.id);
    if (!id) throw new Refusal('PAGE', 'No project is open. Open one first.');
    return id;
  };
  /** When the question is closed, the message is updated before the rejection. */
  const settle = async (id: string, query: () => Promise<Message>) => {
    try {
      const message = await query();
      work.takeMessage(message);
      return message;
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.code === QUESTION_CLOSED) {
        const now = await parts.message(id).catch(() => undefined);
        if (now) work.takeMessage(now);
      }
      throw thrown;
    }
  };
  const changed = async (query: Promise<Run>) => {
    const run = await query;
    work.runs.put(run.id, run);
    return run;
  };
  return {
    answer: (id, give) => settle(id, () => requests.answer(id, give)),
    withdraw: (id) => settle(id, () => requests.withdraw(id)),
    loadQuestions: () => work.openQuestions.read(),
    loadMoreQuestions: () => work.openQuestions.readMore(),
    refreshDeliveries: async (id) => work.deliveries.refresh(id),
    loadRun: (id) => requests.run(id),
    listRuns: async (query = {}) => pageOf(await requests.runs(projectId(), query)),
    resumeRun: (id, messageId) => changed(requests.resumeRun(id, messageId)),
    cancelRun: (id, reason) => changed(requests.cancelRun(id, reason)),
    loadTimeline: async (of, cursor) => {
      const query: PageQuery = cursor ? { cursor } : {};
      return pageOf(await ('run' in of ? requests.runTimeline(of.run, query) : requests.taskTimeline(of.task, query)));
    },
    loadInbox: async (cursor) => pageOf(await requests.inbox(projectId(), cursor ? { cursor } : {})),
    loadAgentInbox: async (id, cursor) => pageOf(await requests.agentInbox(id, cursor ? { cursor } : {})),
    loadDigests: async (id, cursor) => pageOf(await requests.digests(id, cursor ? { cursor } : {})),
    loadInboxCounts: (id) => requests.inboxCounts(id),
    loadPreview: (id) => requests.preview(id),
    loadContext: (id, ask, stop) => requests.context(id, ask, stop),
    followContext: async (id, onChange, stop) => work.contexts.add(id, onChange, stop),
    loadNewest: async (id) => (await requests.newest(id)).items,
    loadInjections: async (id, cursor) => pageOf(await requests.injections(id, cursor ? { cursor } : {})),
    compareRuns: (before, after) => requests.difference(before, after),
    markMessageRead: async (id) =>
      void (await parts.client.call('POST', `/messages/${encodeURIComponent(id)}/read`, {})),
  };
}

function pageOf<Item>({ items, next }: Page<Item>): PageOf<Item> {
  return next ? { items, next } : { items };
}
