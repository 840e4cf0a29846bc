// The scripted model by itself: what it answers by each interface, what it holds and what it records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gate } from '../gate.mjs'
import { contains, openScriptedModel } from '../scripted_model.mjs'

const tool = { name: 'shell' }
const interfaces = [
  { path: '/v1/messages', body: { stream: true, tools: [tool] } },
  { path: '/v1/responses', body: { stream: true, tools: [tool] } },
  { path: '/v1/chat/completions', body: { stream: true, tools: [{ type: 'function', function: tool }] } },
  { path: '/v1beta/models/any:streamGenerateContent', body: { tools: [{ functionDeclarations: [tool] }] } },
]

async function openModel(context) {
  const model = await openScriptedModel()
  context.after(() => model.close())
  const post = (path, body) => fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) })
  return { model, post }
}

for (const { path, body } of interfaces) {
  test(`${path} streams the script and holds it after the first piece`, async context => {
    const { model, post } = await openModel(context)
    const held = gate()
    model.says({ texts: ['One, ', 'two.'], held: held.opened, call: { name: 'shell', input: { command: 'ls' } } })
    const response = await post(path, { ...body, note: 'a prompt' })
    const pieces = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
    let text = ''
    while (!text.includes('One, ')) text += (await pieces.next()).value
    assert.ok(!text.includes('two.'), text)
    held.open()
    for await (const piece of { [Symbol.asyncIterator]: () => pieces }) text += piece
    assert.ok(text.includes('two.') && text.includes('shell') && text.includes('command'), text)
    assert.ok(contains(await model.turn(0), 'a prompt'))
    assert.deepEqual(model.faults, [])
  })
}

test('a request without tools is answered, but takes nothing from the script', async context => {
  const { model, post } = await openModel(context)
  model.says({ texts: ['scripted'] })
  assert.match(await (await post('/v1/messages', {})).text(), /Done\./)
  assert.match(await (await post('/v1/messages', interfaces[0].body)).text(), /scripted/)
  assert.deepEqual(
    model.requests.map(({ isTurn }) => isTurn),
    [false, true],
  )
})

test('a call of a tool that the program does not offer is a fault', async context => {
  const { model, post } = await openModel(context)
  model.says({ call: { name: 'missing', input: {} } })
  await (await post('/v1/messages', interfaces[0].body)).text()
  assert.deepEqual(model.faults, ['the tool missing is not offered: shell'])
})

test('requests outside the interfaces are refused and recorded', async context => {
  const { model, post } = await openModel(context)
  assert.equal((await post('/v1/files', {})).status, 404)
  assert.deepEqual(model.unknown, ['POST /v1/files'])
})
