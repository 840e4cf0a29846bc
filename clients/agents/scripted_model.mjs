// A model server with a script instead of a model. It speaks the streaming interfaces of Anthropic, OpenAI (Responses and
// chat completions) and Gemini on loopback, and records every request.

import { once } from 'node:events'
import http from 'node:http'
import * as anthropic from './wire/anthropic.mjs'
import * as gemini from './wire/gemini.mjs'
import * as chat from './wire/openai_chat.mjs'
import * as responses from './wire/openai_responses.mjs'

const wires = [anthropic, responses, chat, gemini]
const BODY_BYTES_MAX = 16 * 1024 * 1024
const REQUESTS_MAX = 200

/** Starts a server; `close` ends every connection. */
export async function openScriptedModel() {
  const model = new ScriptedModel()
  await model.open()
  return model
}

class ScriptedModel {
  /** Every request, in order of arrival: path, body, and whether it belongs to the conversation. */
  requests = []
  /** Requests that no interface serves, as "METHOD path". */
  unknown = []
  /** Steps of the script that were impossible. */
  faults = []
  #script = []
  #waiting = []
  #server = http.createServer((request, response) => this.#answer(request, response).catch(() => response.destroy()))

  async open() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${this.#server.address().port}`
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /**
   * Appends the answer to the next request of the conversation. `texts` are sent piece by piece, `held` is awaited after
   * the first piece, and `call` is a tool call, or a function that returns one when the request arrives.
   */
  says(answer) {
    this.#script.push({ texts: [], ...answer })
    return this
  }

  /** The number-th request of the conversation, counted from 0, as soon as it arrives. */
  async turn(number) {
    for (;;) {
      const turns = this.requests.filter(({ isTurn }) => isTurn)
      if (turns.length > number) return turns[number]
      await new Promise(resolve => this.#waiting.push(resolve))
    }
  }

  async #answer(request, response) {
    const { pathname } = new URL(request.url, this.url)
    const wire = wires.find(({ serves }) => serves(pathname))
    const text = await readBody(request)
    if (!wire || request.method !== 'POST') {
      this.unknown.push(`${request.method} ${pathname}`)
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not scripted"}}')
      return
    }
    const body = JSON.parse(text)
    // Programs also ask for titles and summaries; these requests offer no tools.
    const isTurn = wire.toolNames(body).length > 0
    if (this.requests.length >= REQUESTS_MAX) throw new Error(`more than ${REQUESTS_MAX} requests`)
    const number = this.requests.push({ path: pathname, body, isTurn, strings: stringsOf(body) })
    const next = isTurn ? this.#script.shift() : undefined
    for (const resolve of this.#waiting.splice(0)) resolve()
    const answer = await this.#prepare(next ?? { texts: ['Done.'] }, wire.toolNames(body), number)
    await send(response, wire, answer, { path: pathname, body, id: `r${number}` })
  }

  /** The answer with its tool call; one that cannot be made is a fault of the script or of the program. */
  async #prepare(answer, tools, number) {
    if (!answer.call) return answer
    try {
      const call = typeof answer.call === 'function' ? await answer.call() : answer.call
      if (!tools.includes(call.name)) throw new Error(`the tool ${call.name} is not offered: ${tools.join(', ')}`)
      return { ...answer, call: { id: `call_${number}`, ...call } }
    } catch (error) {
      this.faults.push(error.message)
      return { texts: [...answer.texts, 'I cannot go on.'] }
    }
  }
}

/** Whether a request contains this text. */
export const contains = (request, text) => request.strings.some(one => one.includes(text))

async function send(response, wire, answer, { path, body, id }) {
  const facts = { model: body.model ?? 'scripted', id }
  if (!wire.wantsStream(path, body)) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wire.whole(answer, facts)))
    return
  }
  const { opening, pieces, ending } = wire.encode(answer, facts)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write(opening.join(''))
  for (const [number, piece] of pieces.entries()) {
    response.write(piece)
    if (number === 0) await answer.held
  }
  response.end(ending.join(''))
}

async function readBody(request) {
  const parts = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) throw new Error('the request is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** All strings inside a JSON value. */
function stringsOf(value) {
  if (typeof value === 'string') return [value]
  return value && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : []
}
