// The Messages interface of Anthropic.

import { named } from './sse.mjs'

export const serves = path => path === '/v1/messages'

export const toolNames = body => (body.tools ?? []).map(({ name }) => name)

/** The frames of one answer: `opening`, one list per piece of text, `ending`. */
export function encode({ texts, call }, { model, id }) {
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const start = (index, block) => named({ type: 'content_block_start', index, content_block: block })
  const delta = (index, part) => named({ type: 'content_block_delta', index, delta: part })
  const stop = index => named({ type: 'content_block_stop', index })
  const opening = [named({ type: 'message_start', message })]
  const ending = []
  if (texts.length > 0) {
    opening.push(start(0, { type: 'text', text: '' }))
    ending.push(stop(0))
  }
  if (call) {
    const index = texts.length > 0 ? 1 : 0
    ending.push(start(index, { type: 'tool_use', id: call.id, name: call.name, input: {} }))
    ending.push(delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }), stop(index))
  }
  const reason = call ? 'tool_use' : 'end_turn'
  ending.push(
    named({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } }),
  )
  ending.push(named({ type: 'message_stop' }))
  return { opening, pieces: texts.map(text => delta(0, { type: 'text_delta', text })), ending }
}

/** The same answer for a caller that did not ask for a stream. */
export function whole({ texts }, { model, id }) {
  const content = [{ type: 'text', text: texts.join('') }]
  const usage = { input_tokens: 10, output_tokens: 5 }
  return { id, type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', stop_sequence: null, usage }
}

export const wantsStream = (_, body) => body.stream === true
