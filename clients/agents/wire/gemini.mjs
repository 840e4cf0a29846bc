// The generateContent interface of Gemini.

import { plain } from './sse.mjs'

export const serves = path => /^\/v1(beta)?\/models\/[^/:]+:(streamGenerateContent|generateContent)$/.test(path)

export const toolNames = body =>
  (body.tools ?? []).flatMap(tool => tool.functionDeclarations ?? []).map(({ name }) => name)

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }

const part = (parts, more) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  usageMetadata,
})

/** The frames of one answer: `opening`, one list per piece of text, `ending`. */
export function encode({ texts, call }) {
  const wanted = call ? [{ functionCall: { id: call.id, name: call.name, args: call.input } }] : [{ text: '' }]
  return {
    opening: [],
    pieces: texts.map(text => plain(part([{ text }]))),
    ending: [plain(part(wanted, { finishReason: 'STOP' }))],
  }
}

/** The same answer for a caller that did not ask for a stream. */
export const whole = ({ texts }) => part([{ text: texts.join('') }], { finishReason: 'STOP' })

export const wantsStream = path => path.endsWith(':streamGenerateContent')
