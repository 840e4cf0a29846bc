import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { call, connect, project, token, url } from './hub.mjs'

test('a socket follows, posts, and resumes where another one ended', async context => {
  const { id, channel, post } = await project()
  const first = await connect(context, `/live?project_id=${id}`)
  assert.equal((await first.arrivals.next()).type, 'hello')
  const live = await first.arrivals.find(frame => frame.type === 'live')
  first.socket.close()
  assert.equal(await first.closed, 1005)
  await post('missed')
  const second = await connect(context)
  second.send({ type: 'subscribe', ref: 'a', project_id: id, after: live.position })
  const missed = await second.arrivals.find(frame => frame.type === 'event')
  assert.equal(missed.data.body, 'missed')
  second.send({ type: 'post', ref: 'b', message: { channel_id: channel, body: 'over the socket' } })
  const done = await second.arrivals.find(frame => frame.ref === 'b')
  assert.deepEqual([done.type, done.data.body], ['ok', 'over the socket'])
})

test('a socket without a header signs in with its first frame', async context => {
  const { send, arrivals } = await connect(context, '/live', { token: null })
  send({ type: 'sign_in', token })
  assert.equal((await arrivals.next()).type, 'hello')
})

test('a second reader joins an answer in the middle and sees it end', async context => {
  const { id, channel } = await project()
  const answer = await call('POST', '/messages', { channel_id: channel, stream: true })
  await call('POST', `/messages/${answer.id}/chunks`, { start: 0, text: 'Hel' })
  const early = await connect(context, `/live?project_id=${id}`)
  let text = ''
  while (text !== 'Hel') {
    const frame = await early.arrivals.find(frame => ['stream', 'chunk'].includes(frame.type))
    text = frame.type === 'stream' ? frame.text : text.slice(0, frame.start) + frame.text
  }
  const late = await connect(context, `/live?project_id=${id}`)
  const joined = await late.arrivals.find(frame => frame.type === 'stream')
  assert.equal(joined.text, 'Hel')
  await call('POST', `/messages/${answer.id}/chunks`, { start: 3, text: 'lo' })
  const chunk = await late.arrivals.find(frame => frame.type === 'chunk')
  assert.deepEqual([chunk.start, chunk.text], [3, 'lo'])
  await call('POST', `/messages/${answer.id}/complete`, {})
  const end = await late.arrivals.find(frame => frame.name === 'messaging.finished')
  assert.deepEqual([end.data.id, end.data.body, end.data.state], [answer.id, 'Hello', 'complete'])
})

test('a reader of events alone hears no chunks and misses no event', async context => {
  const { id, channel, post } = await project()
  const everything = await connect(context, `/live?project_id=${id}`)
  const { arrivals, send } = await connect(context)
  assert.equal((await arrivals.next()).type, 'hello')
  send({ type: 'subscribe', ref: 'a', project_id: id, events_only: true })
  await arrivals.find(frame => frame.type === 'live')
  const answer = await call('POST', '/messages', { channel_id: channel, stream: true })
  await call('POST', `/messages/${answer.id}/chunks`, { start: 0, text: 'Hello' })
  await everything.arrivals.find(frame => frame.type === 'chunk')
  await post('meanwhile')
  await call('POST', `/messages/${answer.id}/complete`, {})
  const names = []
  while (names.at(-1) !== 'messaging.finished') names.push((await arrivals.next()).name)
  assert.deepEqual(names, ['messaging.posted', 'messaging.posted', 'messaging.finished'])
})

test('bad frames are refused and the socket goes on', async context => {
  const { socket, send, arrivals } = await connect(context)
  await arrivals.next()
  socket.send('no json')
  assert.equal((await arrivals.next()).code, 'PARLOUR-I01')
  send({ type: 'shout', ref: 'x' })
  const refused = await arrivals.next()
  assert.deepEqual([refused.type, refused.ref], ['refused', 'x'])
  socket.send(Buffer.from([1, 2, 3]))
  assert.equal((await arrivals.next()).type, 'refused')
  send({ type: 'ping', ref: 'still there' })
  assert.deepEqual(await arrivals.next(), { type: 'ok', ref: 'still there' })
})

test('fragments and pings between them are one frame', async context => {
  const { socket, arrivals } = await connect(context)
  await arrivals.next()
  const text = JSON.stringify({ type: 'ping', ref: 'in pieces' })
  socket.send(text.slice(0, 5), { fin: false })
  socket.ping('between')
  socket.send(text.slice(5, 9), { fin: false })
  socket.send(text.slice(9), { fin: true })
  const [pong] = await once(socket, 'pong')
  assert.equal(pong.toString(), 'between')
  assert.equal((await arrivals.next()).ref, 'in pieces')
})

test('a frame that is too long closes with 1009, one that is no text with 1007', async context => {
  const long = await connect(context)
  long.send({ type: 'ping', ref: 'x'.repeat(300 * 1024) })
  assert.equal(await long.closed, 1009)
  const broken = await connect(context)
  broken.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
  assert.equal(await broken.closed, 1007)
})

test("another site's page may not connect", async () => {
  const headers = { authorization: `Bearer ${token}`, origin: 'https://evil.example' }
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/live`, { headers })
  socket.on('error', () => {})
  const [request, response] = await once(socket, 'unexpected-response')
  request.destroy()
  assert.equal(response.statusCode, 403)
})

test('a wrong token is answered before the socket opens', async () => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/live`, { headers: { authorization: 'Bearer wrong' } })
  socket.on('error', () => {})
  const [request, response] = await once(socket, 'unexpected-response')
  request.destroy()
  assert.equal(response.statusCode, 401)
})
