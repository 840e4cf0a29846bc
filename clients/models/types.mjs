// Lists for model providers, one JSON object a line, against the types of the providers' own TypeScript libraries.
// A request that its type does not fit is an error of the compiler, and so is a spoiled one that it does fit.

import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const corpus = process.argv[2]
const packages = join(dirname(fileURLToPath(import.meta.url)), 'node_modules')
const folder = dirname(corpus)
// Every format has at least as many.
const most = 300

const formats = {
  openai_chat: { type: 'Chat', besides: { model: 'm' }, list: 'messages' },
  openai_responses: { type: 'Responses', besides: { model: 'm' }, list: 'input' },
  anthropic: { type: 'Anthropic', besides: { model: 'm', max_tokens: 9 }, list: 'messages' },
  gemini: { type: 'Gemini', besides: {}, list: 'contents' },
}

const head = `import type { MessageCreateParamsNonStreaming as Anthropic } from '@anthropic-ai/sdk/resources/messages'
import type { Content } from '@google/genai'
import type { ChatCompletionCreateParamsNonStreaming as Chat } from 'openai/resources/chat/completions'
import type { ResponseCreateParamsNonStreaming as Responses } from 'openai/resources/responses/responses'

type Gemini = { contents: Content[]; systemInstruction?: Content }
`

const lines = [head]
const counts = {}
for (const line of readFileSync(corpus, 'utf8').trim().split('\n')) {
  const { format, request } = JSON.parse(line)
  counts[format] = (counts[format] ?? 0) + 1
  if (counts[format] > most) continue
  const { type, besides, list } = formats[format]
  const whole = { ...request, ...besides }
  lines.push(`export const ${format}_${counts[format]} = ${JSON.stringify(whole)} satisfies ${type}`)
  const spoiled = [
    { ...whole, unknown_field: 1 },
    { ...whole, [list]: [{ ...whole[list][0], unknown_field: 1 }] },
    { ...whole, [list]: 5 },
  ]
  for (const wrong of counts[format] === 1 ? spoiled : []) {
    lines.push('// @ts-expect-error It is wrong.', `void (${JSON.stringify(wrong)} satisfies ${type})`)
  }
}
for (const format of Object.keys(formats)) {
  if (!(counts[format] >= most)) throw new Error(`only ${counts[format]} requests of ${format}`)
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
}
symlinkSync(packages, join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
writeFileSync(join(folder, 'requests.ts'), `${lines.join('\n')}\n`)
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['requests.ts'] }))
const { status } = spawnSync(join(packages, '.bin', 'tsc'), ['--project', folder], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
for (const format of Object.keys(formats)) console.log(`✔ ${most} requests of ${format} have the types of its own library`)
