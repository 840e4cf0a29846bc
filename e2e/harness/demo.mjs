/** A demo project: every kind of message, unread conversations, a thread, a DM, a streaming answer. */
import { pictureOf } from './picture.mjs';

const RELEASE_TABLE = `Two things stand between us and **0.4**:

| Check | State | Owner |
|---|---|---|
| resume after epoch change | failing | Coder |
| ledger survives \`kill -9\` | passing | Reviewer |

- [x] Budget bench under 300 ms
- [ ] Resume test green on both machines
- [ ] Release notes, see [the tour](https://parlour.example/tour)`;

const FINDING = `The stale read is here. A session compares its own epoch with the log only once, at attach:

\`\`\`rust
if position.epoch != log.epoch() {
    return Resume::Gap { from: log.first() }; // snapshot first
}
\`\`\`

Moving this check into \`next_batch\` makes it hold for `;

const DESIGN_NOTE = `### What the sidebar needs

1. Presence that does not **shout**
2. Counts only where somebody is *called*
3. A place for threads

> Quiet by default; loud only when it is about you.

Numbers from the last run: \`p50 38 ms\`, \`p99 212 ms\`.`;

const DIAGRAM = `How a message gets there:

\`\`\`mermaid
graph LR
  Page --> Hub --> Log
  Log --> Agent
  Log --> Page
\`\`\``;

/** Creates the demo and returns everything that a screenshot or check may open. */
export async function makeDemo(people) {
  const [mara, tobias, ines] = await Promise.all(['Mara', 'Tobias', 'Ines'].map((name) => people.person(name)));
  const project = await people.project('Parlour dev', [mara, tobias, ines]);
  const channels = await makeChannels(people, project);
  const agents = await makeAgents(people, project);
  const cast = { mara, tobias, ines, ...agents, ...(await makeSources(people, mara)) };
  const thread = await fillRelease(channels.release, cast);
  await fillDecisions(channels.decisions, cast);
  const work = await fillRuns(project, channels, cast);
  await fillOthers(channels, cast);
  const dm = await tobias.dm(project, [mara], 'Lunch at one? I would like to talk about the release before the call.');
  const running = await beginAnswer(channels.release, cast);
  await Promise.all([tobias, agents.coder, agents.planner].map((member) => member.present('idle')));
  await agents.reviewer.present('working');
  return { project, channels, thread, dm, running, ...work, ...cast };
}

async function makeChannels(people, project) {
  const make = (name, topic) => people.channel(project, name, { topic });
  return {
    general: await make('general', 'All and sundry'),
    release: await make('release', 'Ship 0.4 · resume, ledger, board'),
    incidents: await make('incidents', 'What is broken right now'),
    design: await make('design', 'How it looks and feels'),
    decisions: await make('decisions', 'Questions in every state'),
    empty: await make('library', 'Papers worth reading'),
  };
}

async function makeAgents(people, project) {
  const make = (name, capabilities) => people.agent(project, name, { capabilities });
  return {
    coder: await make('Coder', ['rust', 'tests']),
    reviewer: await make('Reviewer', ['review']),
    planner: await make('Planner', ['plans']),
    scout: await make('Scout', ['search']),
  };
}

async function makeSources(people, owner) {
  return {
    files: await people.actsAs(owner, 'applet', 'file-browser'),
    standup: await people.actsAs(owner, 'scheduler', 'daily-standup'),
  };
}

/** Fills the main channel and returns its thread. */
async function fillRelease(release, { mara, tobias, ines, coder, reviewer, planner, files, standup }) {
  await standup.post(release, 'Collect open reviews and failing checks, then post a summary.');
  await answerWithSteps(planner, release);
  await interruptedAnswer(reviewer, release);
  await failedAnswer(coder, release);
  await files.post(release, 'Mara picked `resume.rs`, lines 40 to 88.');
  const question = await mara.post(
    release,
    '@Coder the resume test fails after an epoch change. Please find the cause, and ask before you touch the schema.',
    { importance: 'high' },
  );
  await coder.react(question, '👀');
  await tobias.react(question, '👍');
  await ines.react(question, '👍');
  const thread = await fillThread(question, { mara, tobias, coder });
  await tripLoopGuard(question, { coder, reviewer });
  await toolResult(coder, release, { name: 'cargo test resume', failed: true });
  await toolResult(coder, release, { name: 'cargo check', failed: false });
  await mara.read(
    await tobias.post(release, 'I can take the second machine.\n\nIt has the old schema, so it is a *fair* test.'),
  );
  return thread;
}

const MEMORY_OR_COLUMN = {
  options: [
    { id: 'keep', label: 'Keep in memory' },
    { id: 'column', label: 'Add a column', description: 'Costs a migration, and survives a restart.' },
  ],
  default: 'keep',
};

const VERSION = {
  type: 'object',
  required: ['version', 'channel'],
  properties: {
    version: { type: 'string', title: 'Version', description: 'As in the tag.' },
    channel: { enum: ['beta', 'stable'], title: 'Channel' },
    isFinal: { type: 'boolean', title: 'Last of this line' },
  },
};

/** Creates a question in each state. The hub limits open questions per asker. */
async function fillDecisions(decisions, { mara, tobias, coder, reviewer, planner, scout }) {
  const answered = await coder.ask(decisions, '@Tobias which base do we build on?', MEMORY_OR_COLUMN);
  await tobias.answer(answered, { option: 'column' });
  const written = await scout.ask(decisions, '@Tobias what shall the page be called?');
  await tobias.post(decisions, 'The needs-you board.', { reply_to: written.id });
  await scout.ask(decisions, '@Mara shall I go on with the second paper?', {
    ...MEMORY_OR_COLUMN,
    expires_in_seconds: 1,
  });
  const ignored = await planner.ask(decisions, '@Tobias may I move the call?');
  await tobias.answer(ignored, { ignore: true });
  await coder.withdraw(await coder.ask(decisions, '@Mara never mind?'));
  const run = await coder.startRun(decisions, { label: 'Move the epoch' });
  const body =
    '@Mara the fix needs the epoch beside each session. Add a column, or **keep it in memory** and lose it on restart?';
  await coder.ask(decisions, body, { ...MEMORY_OR_COLUMN, expires_in_seconds: 702, run_id: run.id });
  const both = await reviewer.ask(decisions, '@Mara @Tobias who signs the release?', { expires_in_seconds: 90_000 });
  await tobias.answer(both, { ignore: true });
  await planner.ask(decisions, '@Mara what do we ship?', { schema: VERSION });
  const own = {
    options: [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'Not yet' },
    ],
    default: 'no',
  };
  const ask = await mara.ask(decisions, '@Coder can the old schema go?', own);
  await mara.read(ask);
}

/** Creates runs in every state. One has Mara's question in its context, is paused by Tobias and works on a task. */
async function fillRuns(project, { general, release }, { mara, tobias, coder, planner, scout }) {
  const question = (await mara.history(release)).find(
    ({ from, mentions }) => from.id === mara.id && mentions.length > 0,
  );
  const task = await mara.send('/tasks', {
    project_id: project.id,
    title: 'Survive an epoch change',
    assignee: coder.id,
  });
  const run = await coder.startRun(undefined, { message_id: question.id, task_id: task.id });
  const report = (step) => coder.send('/deliveries', { message_ids: [question.id], run_id: run.id, ...step });
  await report({ state: 'injected', delivered_via: 'prompt' });
  await report({ state: 'seen' });
  await tobias.post(general, '@Coder which machine does it fail on?', { blocking: true });
  await run.checkpoint();
  await (await planner.startRun(release, { label: 'Plan the release' })).finish({ failed: 'the model gave no answer' });
  const usage = { model: 'sketch-2', input_tokens: 6_400, output_tokens: 812 };
  await (await scout.startRun(general, { label: 'Look for papers' })).finish({ usage });
  await (await scout.startRun(release, { label: 'Read the changelog' })).cancel('wrong file');
  return { question, task, run };
}

async function answerWithSteps(agent, channel) {
  const answer = await agent.stream(channel);
  await answer.step('s1', 'rg "epoch" docs/');
  await answer.finishStep('s1', { summary: '38 matches' });
  await answer.step('s2', 'read board.md');
  await answer.finishStep('s2', { summary: '212 lines' });
  await answer.step('s3', 'cargo test');
  await answer.finishStep('s3', { summary: '1 of 14 failed' }, true);
  await answer.chunk(RELEASE_TABLE);
  await answer.complete({ usage: { model: 'sketch-2', input_tokens: 640, output_tokens: 172, duration_ms: 4_200 } });
}

async function interruptedAnswer(agent, channel) {
  const answer = await agent.stream(channel);
  await answer.chunk('One place: `Session::attach` keeps the position it was opened with, so a client that');
  await answer.cancel('wrong file');
}

async function failedAnswer(agent, channel) {
  const answer = await agent.stream(channel);
  await answer.chunk('Looking at the ledger first, ');
  await answer.fail('the model did not answer within 60 s');
}

/** Two agents call each other: the loop guard stops the second call with a host message. */
async function tripLoopGuard(question, { coder, reviewer }) {
  const ask = { kind: 'user', reply_to: question.id };
  const asked = await coder.post(question.to, '@Reviewer does anything still read the epoch from the cache?', ask);
  await reviewer.post(question.to, '@Coder only `attach`. Shall I look at the tests too?', { reply_to: asked.id });
}

async function fillThread(root, { mara, tobias, coder }) {
  const thread = await mara.thread(root);
  await coder.post(thread, 'The epoch is read once, at attach. I would move the check into `next_batch`.');
  await tobias.post(thread, 'Does that cost a read per batch?');
  await coder.post(thread, 'No: the log has it in memory.');
  return thread;
}

function toolResult(agent, channel, { name, failed }) {
  const body = failed ? 'test resume::after_epoch_change ... FAILED\n\n13 passed; 1 failed' : 'Finished in 1.8 s';
  const content = { name, is_error: failed, duration_ms: 1_800, ...(failed ? { total: 14, failed: 1 } : {}) };
  return agent.post(channel, body, { kind: 'tool_result', content });
}

async function fillOthers({ general, incidents, design }, { mara, tobias, ines, scout }) {
  await tobias.post(general, 'Good morning. The build machine is back.');
  await mara.post(general, 'Thank you! I will start the long run then.');
  await mara.read(await scout.post(general, 'Three new papers on resumable streams; the second one is about us.'));
  await mara.post(incidents, 'Anything on the slow hub from yesterday?');
  await tobias.post(incidents, 'It was the disk. Swapped it at 08:40.');
  await ines.post(incidents, '@Mara can you confirm from your side?', { importance: 'high' });
  await tobias.post(incidents, 'Closing this at noon if nobody objects.');
  await ines.post(design, DESIGN_NOTE);
  const picture = await ines.upload(design, 'sidebar.png', 'image/png', pictureOf(480, 240));
  await ines.post(design, 'A first sketch:', { attachments: [picture] });
  await mara.read(await mara.post(design, DIAGRAM));
}

/** A streaming answer with two finished steps, one running step and half a text. */
async function beginAnswer(release, { reviewer }) {
  const answer = await reviewer.stream(release);
  await answer.step('s1', 'rg "epoch" crates/');
  await answer.finishStep('s1', { summary: '38 matches' });
  await answer.step('s2', 'read resume.rs');
  await answer.finishStep('s2', { summary: '212 lines' });
  await answer.step('s3', 'cargo check -p parlour-hub');
  await answer.chunk(FINDING);
  return answer;
}
