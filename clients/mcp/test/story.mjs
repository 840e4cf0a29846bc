// What an agent does with the hub's tools, told once for every client.

import assert from 'node:assert/strict'

export const url = process.env.PARLOUR_URL
const token = process.env.PARLOUR_TOKEN
export const program = process.env.PARLOUR_PROGRAM ?? 'parlour'

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
  const answer = await response.json()
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

let made = 0

/** A project with a channel and an agent. */
export async function stage() {
  made += 1
  const project = await call('POST', '/projects', { name: `Mcp ${process.pid} ${made} ${Date.now()}` })
  const channel = await call('POST', '/channels', { project_id: project.id, name: 'general' })
  const agent = await call('POST', '/agents', { project_id: project.id, name: 'Coder' })
  return { channel: channel.id, agent }
}

const words = result => result.content.map(block => block.text).join('\n')

/** Works with a connected client; `tool` calls one. */
export async function work({ channel }, client) {
  const tool = (name, args) => client.callTool({ name, arguments: args })
  const { tools } = await client.listTools()
  assert.equal(tools.length, 12)
  const posted = await tool('post_message', { channel_id: 'general', body: 'hello' })
  assert.ok(!posted.isError, words(posted))
  assert.match(posted.structuredContent.message_id, /^msg_/)
  const wrong = await tool('post_message', { channel_id: 'genral', body: 'hello' })
  assert.ok(wrong.isError && words(wrong).includes('Did you mean: "general"'), words(wrong))
  const begun = await tool('checkpoint', { label: 'a story' })
  assert.equal(begun.structuredContent.verdict, 'continue', words(begun))
  const question = await call('POST', '/messages', { channel_id: channel, body: '@Coder stop?', blocking: true })
  assert.match(words(await tool('search', { query: 'hello' })), /You received a message from/)
  const paused = await tool('checkpoint', {})
  assert.equal(paused.structuredContent.verdict, 'pause', words(paused))
  const answered = await tool('reply_thread', { thread_id: question.id, body: 'stopped' })
  assert.equal(answered.structuredContent.answers, question.id, words(answered))
  const finished = await tool('checkpoint', { finish: true })
  assert.equal(finished.structuredContent.state, 'done', words(finished))
  const { resources } = await client.listResources()
  assert.deepEqual(resources.map(one => one.uri), ['parlour://inbox', `parlour://conversation/${channel}`])
  const read = await client.readResource({ uri: resources[1].uri })
  assert.match(read.contents[0].text, /> hello/)
}
