// The official TypeScript clients, over HTTP and over the standard streams of `parlour mcp`.

import assert from 'node:assert/strict'
import test from 'node:test'
import * as newer from '@modelcontextprotocol/client'
import { StdioClientTransport as NewerStdio } from '@modelcontextprotocol/client/stdio'
import { Client as Older } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client as Oldest } from 'mcp-sdk-1.20/client/index.js'
import { StdioClientTransport as OldestStdio } from 'mcp-sdk-1.20/client/stdio.js'
import { StreamableHTTPClientTransport as OldestHttp } from 'mcp-sdk-1.20/client/streamableHttp.js'
import { program, stage, url, work } from './story.mjs'

// 1.20 asks for revision 2025-06-18 and reports an error for every event without a message.
const LINES = [
  ['1.20', Oldest, OldestHttp, OldestStdio],
  ['older', Older, OlderHttp, OlderStdio],
  ['newer', newer.Client, newer.StreamableHTTPClientTransport, NewerStdio],
]

for (const [name, Client, Http, Stdio] of LINES) {
  const told = async transport => {
    const scene = await stage()
    const client = new Client({ name: 'story', version: '1' })
    const errors = []
    client.onerror = error => errors.push(error)
    await client.connect(transport(scene.agent.token))
    try {
      await work(scene, client)
      assert.deepEqual(errors, [], 'the client reported errors')
    } finally {
      await client.close()
    }
  }
  test(`the ${name} client works over HTTP`, () =>
    told(token => new Http(new URL('/mcp', url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })))
  test(`the ${name} client works over the standard streams`, () =>
    told(token => {
      const env = { ...process.env, PARLOUR_URL: url, PARLOUR_TOKEN: token }
      return new Stdio({ command: program, args: ['mcp'], env, stderr: 'inherit' })
    }))
}
