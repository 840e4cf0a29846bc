// The Responses interface of OpenAI.

import { named } from './sse.mjs'

export const serves = path => path === '/v1/responses'

export const toolNames = body =>
  (body.tools ?? []).flatMap(tool => [tool, ...(tool.tools ?? [])]).map(({ name }) => name)

/** The frames of one answer: `opening`, one list per piece of text, `ending`. */
export function encode({ texts, call }, { model, id }) {
  const response = { id, object: 'response', created_at: 0, model, status: 'in_progress', output: [] }
  const item = text => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: text ? [{ type: 'output_text', text, annotations: [] }] : [],
  })
  const output = []
  const opening = [named({ type: 'response.created', response })]
  const ending = []
  if (texts.length > 0) {
    const full = item(texts.join(''))
    opening.push(
      named({ type: 'response.output_item.added', output_index: 0, item: { ...item(''), status: 'in_progress' } }),
    )
    opening.push(
      named({
        type: 'response.content_part.added',
        item_id: full.id,
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      }),
    )
    ending.push(
      named({
        type: 'response.output_text.done',
        item_id: full.id,
        output_index: 0,
        content_index: 0,
        text: texts.join(''),
      }),
    )
    ending.push(named({ type: 'response.output_item.done', output_index: 0, item: full }))
    output.push(full)
  }
  if (call) {
    const wanted = {
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.input),
      namespace: call.namespace,
    }
    ending.push(
      named({
        type: 'response.output_item.added',
        output_index: output.length,
        item: { ...wanted, arguments: '', status: 'in_progress' },
      }),
    )
    ending.push(named({ type: 'response.output_item.done', output_index: output.length, item: wanted }))
    output.push(wanted)
  }
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  }
  ending.push(named({ type: 'response.completed', response: { ...response, status: 'completed', output, usage } }))
  const piece = delta =>
    named({ type: 'response.output_text.delta', item_id: `msg_${id}`, output_index: 0, content_index: 0, delta })
  return { opening, pieces: texts.map(piece), ending }
}

/** The same answer for a caller that did not ask for a stream. */
export function whole({ texts }, { model, id }) {
  const content = [{ type: 'output_text', text: texts.join(''), annotations: [] }]
  return {
    id,
    object: 'response',
    model,
    status: 'completed',
    output: [{ id: `msg_${id}`, type: 'message', role: 'assistant', content }],
  }
}

export const wantsStream = (_, body) => body.stream === true
