// A mock server of three providers that other people wrote, between `parlour agent` and a running hub.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { LLMock } from '@copilotkit/aimock'
import { follow, project, token, url } from './hub.mjs'

const program = process.env.PARLOUR_PROGRAM ?? 'parlour'
const key = 'key-of-the-mock-0123456789'
const interfaces = [
  { flag: '--openai', path: '/v1', model: 'gpt-5-mini', usage: { prompt_tokens: 12, completion_tokens: 3 } },
  { flag: '--anthropic', path: '', model: 'claude-sonnet-4-5', usage: { input_tokens: 12, output_tokens: 3 } },
  { flag: '--gemini', path: '', model: 'gemini-2.5-flash', usage: { promptTokenCount: 12, candidatesTokenCount: 3 } },
]

/** A mock server with a key of its own; it ends with the test. */
async function provider(context) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 4, auth: { apiKeys: [key] } })
  await mock.start()
  context.after(() => mock.stop())
  return mock
}

/** Joins an agent to a project of its own; it leaves with the test. */
async function join(context, { flag, path, model }, mock, secret = key) {
  const { id, post } = await project()
  const heard = follow(context, url, { project_id: id }, ['live', 'agents.created', 'messaging.finished'])
  await heard.find(({ name }) => name === 'live')
  const flags = ['agent', '--name', 'Coder', '--project', id, flag, mock.url + path, '--model', model]
  const child = spawn(program, [...flags, '--key-env', 'MOCK_KEY'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PARLOUR_URL: url, PARLOUR_TOKEN: token, MOCK_KEY: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', text => (said += text))
  child.stderr.on('data', text => (said += text))
  const ended = once(child, 'exit')
  context.after(async () => {
    child.kill('SIGTERM')
    await ended
    assert.ok(!said.includes(secret), said)
  })
  // Before the agent was added nobody can mention it.
  const added = heard.find(({ name }) => name === 'agents.created')
  await Promise.race([added, ended.then(() => assert.fail(`parlour agent has ended: ${said}`))])
  const ask = async text => {
    await post(text)
    return (await heard.find(({ name }) => name === 'messaging.finished')).frame.data
  }
  return { ask }
}

for (const one of interfaces) {
  test(`a model behind ${one.flag} answers a mention, and what it cost is kept`, async context => {
    const mock = await provider(context)
    mock.onMessage('How are you', { content: 'Very well, thank you, and **you**?', usage: one.usage })
    const { ask } = await join(context, one, mock)
    const answer = await ask('How are you, @Coder?')
    assert.equal(answer.state, 'complete')
    assert.equal(answer.body, 'Very well, thank you, and **you**?')
    assert.equal(answer.usage.input_tokens, 12)
    assert.equal(answer.usage.output_tokens, 3)
    assert.match(answer.usage.model, /\w/)
    const { messages } = mock.getLastRequest().body
    // The name of an agent is text of a member, so it is in the first message of the user role.
    assert.deepEqual([messages.at(0).role, messages.at(0).content.includes('Coder')], ['system', false])
    assert.match(messages.at(1).content, /^Your name here is "Coder"\./)
    assert.match(messages.at(-1).content, /\[from [^\n]+, person\]\nHow are you, @Coder\?$/)
  })

  test(`a model behind ${one.flag} remembers what it has said`, async context => {
    const mock = await provider(context)
    mock.onMessage('first', { content: 'One.' })
    mock.onMessage('second', { content: 'Two.' })
    const { ask } = await join(context, one, mock)
    await ask('@Coder first')
    assert.equal((await ask('@Coder second')).body, 'Two.')
    const roles = mock.getLastRequest().body.messages.map(({ role }) => role)
    assert.deepEqual(roles, ['system', 'user', 'assistant', 'user'])
  })

  test(`a wrong key for ${one.flag} is told in the conversation and shown nowhere`, async context => {
    const { ask } = await join(context, one, await provider(context), 'sk-a-wrong-one-123456')
    const answer = await ask('@Coder hello')
    assert.equal(answer.state, 'failed')
    assert.match(answer.reason, /^the provider refused the key \(401\)/)
    assert.doesNotMatch(JSON.stringify(answer), /sk-a-wrong/)
  })

  test(`a provider behind ${one.flag} that is busy for a moment is asked again`, async context => {
    const mock = await provider(context)
    mock.onMessage('hello', { content: 'Here I am.' })
    mock.nextRequestError(503, { message: 'busy', type: 'server_error' })
    const { ask } = await join(context, one, mock)
    const answer = await ask('@Coder hello')
    assert.equal(answer.body, 'Here I am.')
    assert.equal(answer.usage.tries, 2)
  })

  test(`half an answer of ${one.flag} stays and is said to be cut`, async context => {
    const mock = await provider(context)
    mock.onMessage('long', { content: 'One two three four five six seven.' }, { truncateAfterChunks: 5, latency: 20 })
    const { ask } = await join(context, one, mock)
    const answer = await ask('@Coder a long one')
    assert.equal(answer.state, 'failed')
    assert.match(answer.reason, /^the answer is cut/)
    assert.ok(answer.body.startsWith('One ') && !answer.body.endsWith('seven.'), answer.body)
  })
}

test('what a model thinks, and tools that it wishes for, are no part of the answer', async context => {
  for (const one of interfaces) {
    const mock = await provider(context)
    mock.onMessage('think', { content: 'Done.', reasoning: 'Let me see.' })
    mock.onMessage('search', { content: 'I look.', toolCalls: [{ name: 'grep', arguments: '{"text":"x"}' }] })
    const { ask } = await join(context, one, mock)
    assert.equal((await ask('@Coder think')).body, 'Done.', one.flag)
    const answer = await ask('@Coder search')
    assert.equal(answer.state, 'complete', one.flag)
    assert.equal(answer.body, 'I look.', one.flag)
    assert.deepEqual(answer.steps.map(({ name, is_error }) => [name, is_error]), [['tool: grep', true]], one.flag)
  }
})
