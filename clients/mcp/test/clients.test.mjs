// The official TypeScript clients, both lines of them, over HTTP and over the standard streams of `parlour mcp`.

import test from 'node:test'
import * as newer from '@modelcontextprotocol/client'
import { StdioClientTransport as NewerStdio } from '@modelcontextprotocol/client/stdio'
import { Client as Older } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { program, stage, url, work } from './story.mjs'

const LINES = [
  ['older', Older, OlderHttp, OlderStdio],
  ['newer', newer.Client, newer.StreamableHTTPClientTransport, NewerStdio],
]

for (const [name, Client, Http, Stdio] of LINES) {
  const told = async transport => {
    const scene = await stage()
    const client = new Client({ name: 'story', version: '1' })
    await client.connect(transport(scene.agent.token))
    try {
      await work(scene, client)
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
