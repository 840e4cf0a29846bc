// The public conformance suite: both sets of requirements at the fixtures, and what needs no fixture at the tools.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { openProxy } from './proxy.mjs'

const own = new URL(`node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url).pathname
const node = existsSync(own) ? own : process.execPath
const suite = new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url).pathname

const REVISIONS = ['2025-11-25', '2026-07-28']
const AT_TOOLS = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
  ],
}

/** Runs the suite once; its words are shown only when it fails. */
function run(name, ...more) {
  return new Promise(resolve => {
    const child = spawn(node, [suite, 'server', ...more], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', data => (said += data))
    child.stderr.on('data', data => (said += data))
    child.on('close', code => {
      // The suite does not always end with an error, so its words count too.
      const isWell = code === 0 && !said.includes('FAILURE')
      const total = said.match(/Total: .*/)?.[0] ?? ''
      console.log(`${isWell ? '✔' : '✘'} ${name} ${total}`)
      if (!isWell) console.log(said)
      resolve(isWell)
    })
  })
}

const proxy = await openProxy(process.env.PARLOUR_URL, process.env.PARLOUR_TOKEN)
const results = []
for (const revision of REVISIONS) {
  const fixtures = ['--url', `${proxy.url}/mcp/fixtures`, '--requirements', revision]
  results.push(await scored(revision, fixtures))
  for (const scenario of AT_TOOLS[revision]) {
    const tools = ['--url', `${proxy.url}/mcp`, '--scenario', scenario, '--spec-version', revision]
    results.push(await run(`${revision} ${scenario}`, ...tools))
  }
}
proxy.close()
process.exitCode = results.every(Boolean) ? 0 : 1

/** Runs one set of requirements: what the suite itself does not score (extensions, pending ones) does not count here either. */
function scored(revision, fixtures) {
  return new Promise(resolve => {
    const child = spawn(node, [suite, 'server', ...fixtures], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', data => (said += data))
    child.stderr.on('data', data => (said += data))
    child.on('close', () => {
      const [summary, unscored = ''] = (said.split('=== SUMMARY ===')[1] ?? '').split('Not scored')
      const free = new Set([...unscored.matchAll(/[✓✗] (\S+) \(/g)].map(([, name]) => name))
      const all = [...summary.matchAll(/([✓✗]) (\S+):/g)].filter(([, , name]) => !free.has(name))
      const failed = all.filter(([, mark]) => mark === '✗').map(([, , name]) => name)
      const isWell = all.length > 20 && failed.length === 0
      console.log(`${isWell ? '✔' : '✘'} ${revision} ${all.length} scenarios ${failed.join(' ')}`)
      if (!isWell) console.log(said)
      resolve(isWell)
    })
  })
}
