// The page with the results, from invented ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing, renderPage } from '../matrix.mjs'
import { PER_MESSAGE } from '../programs/streaming.mjs'

const program = {
  title: 'Tool',
  version: '1.2.3',
  streams: PER_MESSAGE,
  notes: ['it is small.'],
  without: { hook: 'it has none.', 'mcp.polls': 'it reads nothing.' },
}
const observed = { runner: { streams: true, answers: true }, mcp: { polls: false, answers: true } }

test('a cell lists the paths by which a program has the ability', () => {
  const page = renderPage([{ program, observed }])
  assert.match(page, /\|\s+\| Tool 1\.2\.3 \|\n/)
  assert.match(page, /\*\*streams\*\*[^|]+\| runner, per message \|/)
  assert.match(page, /\*\*answers\*\*[^|]+\| runner, MCP \|/)
  assert.match(page, /\*\*polls\*\*[^|]+\| no \|/)
})

test('each missing ability has its reason below the table', () => {
  const page = renderPage([{ program, observed }])
  assert.ok(
    page.endsWith('- Tool, hook: it has none.\n- Tool, MCP, *polls*: it reads nothing.\n- Tool: it is small.\n'),
    page,
  )
  assert.deepEqual(missing(observed), Object.keys(program.without))
})
