import { createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../api/client';
import type { LogEvent } from '../../api/events';
import type { Message } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { aDelivery, aMessage, anOpenQuestion, aQuestion, aQuestionMessage, aRun } from '../testing/fixtures';
import { flushMicrotasks } from '../testing/tools';
import { QUESTION_CLOSED, Work } from './work';

const event = (change: object) => change as LogEvent;

describe('questions, runs and deliveries', () => {
  let asked: string[];
  let answers: Record<string, unknown>;
  let taken: Message[];
  let work: Work;
  beforeEach(() => {
    [asked, taken] = [[], []];
    answers = {
      'GET /questions?limit=50': { items: [anOpenQuestion()] },
      'GET /messages/msg_1/deliveries': { items: [aDelivery()] },
      'GET /runs/run_41': aRun(),
    };
    const call = async (method: string, path: string) => {
      asked.push(`${method} ${path}`);
      const answer = answers[`${method} ${path}`];
      if (answer instanceof Refusal) throw answer;
      return answer ?? {};
    };
    const messageList = { takeMessage: (message: Message) => taken.push(message) };
    work = new Work({
      client: { call, note: () => {} } as unknown as Client,
      project: { id: 'prj_1', messageLists: { peek: () => messageList } as never, snapshot: () => undefined },
      memberId: () => 'per_mara',
      message: async () => aQuestionMessage({ state: 'expired' }),
    });
  });
  afterEach(() => work.end());
  const look = <Value>(read: () => Value): Value => createRoot((end) => [read(), end()][0] as Value);
  const states = () => look(() => work.deliveries.get('msg_1'))?.map((one) => one.state);
  const settled = async () => {
    states();
    await flushMicrotasks();
    return states();
  };

  it('an answer updates the question at once, and removes it from the list', async () => {
    await flushMicrotasks();
    expect(work.openQuestions.all().items).toHaveLength(1);
    answers['POST /messages/msg_ask/answer'] = aQuestionMessage({ state: 'answered' });
    await work.commands.answer('msg_ask', { option: 'keep' });
    expect([taken[0]?.question?.state, work.openQuestions.all().items]).toEqual(['answered', []]);
  });

  it('a late answer is refused, and the outcome is shown', async () => {
    answers['POST /messages/msg_ask/answer'] = new Refusal(QUESTION_CLOSED, 'It has expired.');
    await expect(work.commands.answer('msg_ask', { option: 'keep' })).rejects.toThrow('It has expired.');
    expect(taken[0]?.question?.state).toBe('expired');
  });

  it('an answer that does not fit changes nothing', async () => {
    answers['POST /messages/msg_ask/answer'] = new Refusal('PARLOUR-M04', 'No.');
    await expect(work.commands.answer('msg_ask', { text: 'x' })).rejects.toThrow('No.');
    expect(taken).toEqual([]);
  });

  it('deliveries follow their events', async () => {
    expect(await settled()).toEqual(['stored']);
    const seen = aDelivery({ state: 'seen' });
    const other = aDelivery({ recipient: 'agt_reviewer' });
    work.take(event({ name: 'messaging.delivered', data: { conversation_id: 'c', deliveries: [seen, other] } }));
    expect(states()).toEqual(['seen', 'stored']);
  });

  it('deliveries are read again when the agent has answered, and not while it writes', async () => {
    await settled();
    answers['GET /messages/msg_1/deliveries'] = { items: [aDelivery({ state: 'answered' })] };
    const reply = aMessage({ id: 'msg_2', reply_to: 'msg_1', state: 'streaming' });
    work.take(event({ name: 'messaging.posted', data: reply }));
    expect(await settled()).toEqual(['stored']);
    work.take(event({ name: 'messaging.finished', data: { ...reply, state: 'complete' } }));
    expect(await settled()).toEqual(['answered']);
  });

  it('deliveries are read again when somebody has read who had not', async () => {
    await settled();
    const reads = () => asked.filter((one) => one.endsWith('/deliveries')).length;
    work.take(event({ name: 'messaging.read', data: { reader: 'per_tobias', conversation_id: 'c', seq: 1 } }));
    await settled();
    expect(reads()).toBe(1);
    work.take(event({ name: 'messaging.read', data: { reader: 'agt_coder', conversation_id: 'c', seq: 1 } }));
    await settled();
    expect(reads()).toBe(2);
  });

  it('a run that is looked at follows its events, and is read whole while it is paused', async () => {
    const run = () => look(() => work.runs.get('run_41'));
    run();
    await flushMicrotasks();
    expect(run()?.state).toBe('running');
    work.take(event({ name: 'runs.paused', data: aRun({ state: 'paused' }) }));
    expect(run()?.state).toBe('paused');
    await flushMicrotasks();
    expect(asked.filter((one) => one === 'GET /runs/run_41')).toHaveLength(2);
    work.take(event({ name: 'runs.ended', data: aRun({ state: 'done' }) }));
    expect(run()?.state).toBe('done');
  });

  it('contexts are asked for where the hub has them', async () => {
    answers['GET /runs/run_41/injections?cursor=c1'] = { items: [], next: 'c2' };
    await work.commands.loadContext('agt_coder', { format: 'pack', budget: 256 });
    expect(await work.commands.loadInjections('run_41', 'c1')).toEqual({ items: [], next: 'c2' });
    await work.commands.compareRuns('run_41', 'run_42');
    expect(asked.slice(-3)).toEqual([
      'POST /agents/agt_coder/context',
      'GET /runs/run_41/injections?cursor=c1',
      'GET /runs/run_41/injections/difference?with=run_42',
    ]);
  });

  it('an ignored question leaves the list of the member', async () => {
    await flushMicrotasks();
    work.takeMessage(aQuestionMessage({ ...aQuestion(), ignored_by: ['per_mara'] }));
    expect(work.openQuestions.all().items).toEqual([]);
  });

  it('why a reply did not answer is remembered for the message', () => {
    const problem = { code: 'PARLOUR-M04', detail: 'it is no number' };
    work.noteAnswerProblem('msg_9', problem);
    expect(look(() => work.answerProblem('msg_9'))).toEqual(problem);
    work.clear();
    expect(look(() => work.answerProblem('msg_9'))).toBeUndefined();
  });

  it('lists continue after the last page', async () => {
    answers['GET /runs/run_41/timeline?cursor=c2'] = { items: [], next: null };
    answers['GET /runs?project_id=prj_1&open=true&limit=20'] = { items: [aRun()], next: 'c2' };
    expect(await work.commands.loadTimeline({ run: 'run_41' }, 'c2')).toEqual({ items: [] });
    expect(await work.commands.listRuns({ isOpen: true, limit: 20 })).toMatchObject({ next: 'c2' });
  });

  it('a new epoch reloads everything', async () => {
    await settled();
    vi.spyOn(work.openQuestions, 'read');
    work.catchUp();
    await settled();
    expect(work.openQuestions.read).toHaveBeenCalledOnce();
    expect(asked.filter((one) => one.endsWith('/deliveries'))).toHaveLength(2);
  });
});
