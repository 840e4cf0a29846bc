// Every program by every path, and the page with the results.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { missing, renderPage } from '../matrix.mjs'
import claudeCode from '../programs/claude_code.mjs'
import codex from '../programs/codex.mjs'
import geminiCli from '../programs/gemini_cli.mjs'
import opencode from '../programs/opencode.mjs'
import { observeHook } from '../scenarios/hook.mjs'
import { observeMcp } from '../scenarios/mcp.mjs'
import { observeRunner } from '../scenarios/runner.mjs'
import { Stage } from '../stage.mjs'

const scenarios = { hook: observeHook, runner: observeRunner, mcp: observeMcp }
const results = [claudeCode, codex, geminiCli, opencode].map(program => ({ program, observed: {} }))
/** Far above a normal run, for a busy machine. */
const SCENARIO_TIME_MAX_MS = 120_000
/** Programs at a time: most of the time of a scenario is the start of a program. */
const CONCURRENT = 3

test('coding agents work with the hub', { concurrency: CONCURRENT }, async context => {
  const all = results.flatMap(result => Object.keys(scenarios).map(path => ({ ...result, path })))
  const possible = all.filter(({ program, path }) => path !== 'hook' || program.hook)
  const one = ({ program, observed, path }) =>
    context.test(`${program.title} by ${path}`, { timeout: SCENARIO_TIME_MAX_MS }, async context => {
      observed[path] = await observe(context, program, path)
    })
  await Promise.all(possible.map(one))
})

for (const { program, observed } of results) {
  test(`each missing ability of ${program.title} has a reason, and no other`, () => {
    assert.deepEqual(missing(observed), Object.keys(program.without ?? {}), JSON.stringify(observed, null, 1))
  })
}

test('the page is written', async () => {
  await writeFile(process.env.PARLOUR_PAGE_FILE, renderPage(results))
})

async function observe(context, program, path) {
  const stage = await Stage.build(context, program, path)
  const observed = await scenarios[path](stage)
  assert.deepEqual(stage.model.faults, [])
  assert.deepEqual(stage.outside.attempts, [])
  return observed
}
