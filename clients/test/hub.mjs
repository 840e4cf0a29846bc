// A running hub, as a client sees it: plain requests, a project to play in, and a line that can be cut.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { EventSource } from 'eventsource'
import { WebSocket } from 'ws'

export const url = process.env.PARLOUR_URL ?? 'http://127.0.0.1:4870'
export const token = process.env.PARLOUR_TOKEN ?? ''

/** Calls the hub and answers the body; anything but success is an error. */
export async function call(method, path, body, bearer = token) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.json()
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

let made = 0

/** A project of its own with a channel. */
export async function project() {
  made += 1
  const { id } = await call('POST', '/projects', { name: `Clients ${process.pid} ${made} ${Date.now()}` })
  const channel = await call('POST', '/channels', { project_id: id, name: 'general' })
  return { id, channel: channel.id, post: (body, more) => call('POST', '/messages', { channel_id: channel.id, body, ...more }) }
}

/** What arrives, to be awaited one by one and never missed. */
export class Arrivals {
  #waiting = []
  #arrived = []

  put(item) {
    const waiter = this.#waiting.shift()
    if (waiter) waiter(item)
    else this.#arrived.push(item)
  }

  next() {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift())
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** The next item that fits; what comes before it is let go. */
  async find(fits) {
    for (;;) {
      const item = await this.next()
      if (fits(item)) return item
    }
  }
}

/** Follows a project with an EventSource; all frames arrive in one place. */
export function follow(context, base, query, names = ['live', 'gap', 'messaging.posted', 'end']) {
  const withToken = (address, init) =>
    fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } })
  const source = new EventSource(`${base}/events?${new URLSearchParams(query)}`, { fetch: withToken })
  const arrivals = new Arrivals()
  for (const name of names) {
    source.addEventListener(name, event => {
      arrivals.put({ name, id: event.lastEventId, frame: JSON.parse(event.data) })
    })
  }
  context.after(() => source.close())
  return arrivals
}

/** Opens a socket; all frames arrive in one place. */
export async function connect(context, path = '/live', options = {}) {
  const headers = options.token === null ? {} : { authorization: `Bearer ${options.token ?? token}` }
  const address = url.replace(/^http/, 'ws') + path
  const socket = new WebSocket(address, { headers: { ...headers, ...options.headers } })
  const arrivals = new Arrivals()
  socket.on('message', data => arrivals.put(JSON.parse(data.toString())))
  context.after(() => socket.terminate())
  await once(socket, 'open')
  const send = frame => socket.send(JSON.stringify(frame))
  return { socket, arrivals, send, closed: once(socket, 'close').then(([code]) => code) }
}

/** A line to the hub that can be cut. */
export async function line(context) {
  const target = new URL(url)
  const open = new Set()
  const server = net.createServer(near => {
    const far = net.connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        open.delete(socket)
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => open.forEach(socket => socket.destroy())
  context.after(() => {
    cut()
    server.close()
  })
  return { url: `http://127.0.0.1:${server.address().port}`, cut }
}
