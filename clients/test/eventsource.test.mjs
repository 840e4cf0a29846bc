import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, line, project, url } from './hub.mjs'

test('an EventSource hears what happens, with a position for each event', async context => {
  const { id, post } = await project()
  const heard = follow(context, url, { project_id: id })
  const live = await heard.next()
  assert.equal(live.name, 'live')
  const posted = await post('Hello')
  const event = await heard.next()
  assert.equal(event.name, 'messaging.posted')
  assert.equal(event.id, posted.position)
  assert.equal(event.frame.position, posted.position)
  assert.equal(event.frame.data.body, 'Hello')
})

test('an EventSource that loses its line resumes by itself, without a hole or a double', async context => {
  const { id, post } = await project()
  const wire = await line(context)
  const heard = follow(context, wire.url, { project_id: id })
  await heard.next()
  const bodies = []
  for (let number = 1; number <= 30; number += 1) {
    await post(String(number))
    if (number % 10 === 5) wire.cut()
  }
  while (bodies.length < 30) {
    const { name, frame } = await heard.next()
    if (name === 'messaging.posted') bodies.push(Number(frame.data.body))
  }
  assert.deepEqual(bodies, Array.from({ length: 30 }, (_, index) => index + 1))
})

test('a position that cannot be resumed is told as a gap', async context => {
  const { id, post } = await project()
  const { position } = await post('last')
  const heard = follow(context, url, { project_id: id, after: 'another-7' })
  const gap = await heard.next()
  assert.deepEqual([gap.name, gap.frame.reason, gap.frame.position, gap.id], ['gap', 'epoch', position, position])
})
