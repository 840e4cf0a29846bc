/** Questions, runs, deliveries and inboxes: the part of the state that is loaded after the page itself. */
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

/** Answers that did not fit are remembered for the last messages. */
const PROBLEMS_MAX = 100;

/** The code of the refusal that says that a question has ended. */
export const QUESTION_CLOSED = 'PARLOUR-C12';

export interface WorkParts {
  readonly client: Client;
  readonly project: Pick<OpenProject, 'id' | 'messageLists' | 'snapshot'>;
  /** Who is signed in. */
  memberId(): string | undefined;
  /** A message as the hub has it now. */
  message(id: string): Promise<Message | undefined>;
}

export class Work {
  readonly calls: WorkRequests;
  readonly deliveries: RecordCache<readonly Delivery[]>;
  readonly runs: RecordCache<Run>;
  readonly board: OpenQuestions;
  readonly contexts = new ContextWatchers();
  readonly commands: WorkCommands;
  readonly #problems = new Map<string, AnswerProblem>();
  readonly #problemsChanged = new Triggers();

  constructor(private readonly parts: WorkParts) {
    const calls = createWorkRequests(parts.client);
    this.calls = calls;
    this.deliveries = new RecordCache((id) => calls.deliveries(id));
    this.runs = new RecordCache((id) => calls.run(id));
    this.board = new OpenQuestions({ calls, memberId: () => parts.memberId() });
    this.commands = createCommands(this, parts);
    this.board.begin();
  }

  end(): void {
    this.board.end();
  }

  /** Somebody else is signed in, or nobody. */
  clear(): void {
    this.board.clear();
    this.forgetProject();
    this.#problems.clear();
  }

  /** Another project is open. */
  forgetProject(): void {
    this.deliveries.clear();
    this.runs.clear();
  }

  /** The hub can be reached again, or events were missed: nothing can be trusted to be the newest. */
  catchUp(): void {
    this.deliveries.refreshAll();
    this.runs.refreshAll();
    this.contexts.missed();
    void this.board.read();
  }

  /** Takes an event of any project that the reader follows. */
  take(event: LogEvent): void {
    this.board.take(event);
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

  /** Takes a message as an answer of the hub has it; what is shown follows before the event comes. */
  takeMessage(message: Message): void {
    batch(() => {
      this.parts.project.messageLists.peek(message.to)?.takeMessage(message);
      if (message.question?.state !== 'open' || this.#isIgnored(message)) this.board.drop(message.id);
    });
  }

  /** A signal: why a message of the reader did not answer the question that it replies to. */
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

  /** A run as its events tell it lacks what pauses it elsewhere: whoever looks at it has it read again. */
  #takeRun(run: Run): void {
    if (this.runs.peek(run.id)) this.runs.put(run.id, run);
    if (run.state === 'paused' || !this.runs.peek(run.id)) this.runs.refresh(run.id);
  }

  #takeDelivery(delivery: Delivery): void {
    this.deliveries.change(delivery.message_id, (list) => {
      const place = list.findIndex((one) => one.recipient === delivery.recipient);
      return place < 0 ? [...list, delivery] : list.with(place, delivery);
    });
  }

  /** Somebody has read: what was on its way to them may have been seen. */
  #noteReader(reader: string): void {
    const isBehind = (one: Delivery) => one.recipient === reader && one.state === 'stored';
    this.deliveries.refreshWhere((list) => list.some(isBehind));
  }

  /** What was answered is stored with the answer, without an event of its own. */
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
  const { calls } = work;
  const projectId = () => {
    const id = untrack(() => parts.project.id);
    if (!id) throw new Refusal('PAGE', 'No project is open.');
    return id;
  };
  /** Whoever comes too late is shown what became of it. */
  const settle = async (id: string, wish: () => Promise<Message>) => {
    try {
      const message = await wish();
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
  const changed = async (wish: Promise<Run>) => {
    const run = await wish;
    work.runs.put(run.id, run);
    return run;
  };
  return {
    answer: (id, give) => settle(id, () => calls.answer(id, give)),
    withdraw: (id) => settle(id, () => calls.withdraw(id)),
    loadQuestions: () => work.board.read(),
    loadMoreQuestions: () => work.board.readMore(),
    refreshDeliveries: async (id) => work.deliveries.refresh(id),
    loadRun: (id) => calls.run(id),
    listRuns: async (wish = {}) => pageOf(await calls.runs(projectId(), wish)),
    resumeRun: (id, messageId) => changed(calls.resumeRun(id, messageId)),
    cancelRun: (id, reason) => changed(calls.cancelRun(id, reason)),
    loadTimeline: async (of, cursor) => {
      const wish: PageQuery = cursor ? { cursor } : {};
      return pageOf(await ('run' in of ? calls.runTimeline(of.run, wish) : calls.taskTimeline(of.task, wish)));
    },
    loadInbox: async (cursor) => pageOf(await calls.inbox(projectId(), cursor ? { cursor } : {})),
    loadAgentInbox: async (id, cursor) => pageOf(await calls.agentInbox(id, cursor ? { cursor } : {})),
    loadDigests: async (id, cursor) => pageOf(await calls.digests(id, cursor ? { cursor } : {})),
    loadInboxCounts: (id) => calls.inboxCounts(id),
    loadPreview: (id) => calls.preview(id),
    loadContext: (id, ask, stop) => calls.context(id, ask, stop),
    followContext: async (id, onChange, stop) => work.contexts.add(id, onChange, stop),
    loadNewest: async (id) => (await calls.newest(id)).items,
    loadInjections: async (id, cursor) => pageOf(await calls.injections(id, cursor ? { cursor } : {})),
    compareRuns: (before, after) => calls.difference(before, after),
    markMessageRead: async (id) =>
      void (await parts.client.call('POST', `/messages/${encodeURIComponent(id)}/read`, {})),
  };
}

function pageOf<Item>({ items, next }: Page<Item>): PageOf<Item> {
  return next ? { items, next } : { items };
}
