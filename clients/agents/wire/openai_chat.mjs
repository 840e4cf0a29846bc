// The chat completions interface of OpenAI and of the many servers that imitate it.

import { plain } from './sse.mjs'

export const serves = path => path === '/v1/chat/completions'

export const toolNames = body => (body.tools ?? []).map(tool => tool.function.name)

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** The frames of one answer: `opening`, one list per piece of text, `ending`. */
export function encode({ texts, call }, { model, id }) {
  const chunk = (delta, finish_reason = null) =>
    plain({ id, object: 'chat.completion.chunk', created: 0, model, choices: [{ index: 0, delta, finish_reason }] })
  const wanted = call && {
    index: 0,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }
  return {
    opening: [chunk({ role: 'assistant', content: '' })],
    pieces: texts.map(content => chunk({ content })),
    ending: [
      ...(wanted ? [chunk({ tool_calls: [wanted] })] : []),
      chunk({}, call ? 'tool_calls' : 'stop'),
      plain({ id, object: 'chat.completion.chunk', created: 0, model, choices: [], usage }),
      plain('[DONE]'),
    ],
  }
}

/** The same answer for a caller that did not ask for a stream. */
export function whole({ texts }, { model, id }) {
  const message = { role: 'assistant', content: texts.join('') }
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  }
}

export const wantsStream = (_, body) => body.stream === true
