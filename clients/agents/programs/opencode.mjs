// opencode.

import { fileOf, versionOf } from './package_folder.mjs'
import { PER_MESSAGE } from './streaming.mjs'

const PACKAGE = 'opencode-linux-x64-baseline'

const config = (stage, more) =>
  JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    enabled_providers: ['scripted'],
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${stage.model.url}/v1`, apiKey: 'scripted' },
        models: { scripted: { name: 'scripted', tool_call: true, limit: { context: 100_000, output: 8_000 } } },
      },
    },
    ...more,
  })

export default {
  id: 'opencode',
  title: 'opencode',
  version: versionOf(PACKAGE),
  command: { name: 'opencode', file: fileOf(PACKAGE, 'bin', 'opencode') },
  without: { hook: 'it loads plugins in JavaScript and runs no hook commands.' },
  files: stage => ({ '.config/opencode/opencode.json': config(stage) }),
  environment: stage => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // It installs a package of its own at each start; this registry has none.
    npm_config_registry: stage.model.url,
  }),
  turn: ['run'],
  runner: ['--opencode'],
  streams: PER_MESSAGE,
  shell: command => ({ name: 'bash', input: { command, description: 'Run a command' } }),
  mcp: (stage, { url, token }) => ({
    files: {
      '.config/opencode/opencode.json': config(stage, {
        mcp: {
          parlour: { type: 'remote', url, headers: { Authorization: 'Bearer {env:AGENT_TOKEN}' } },
        },
      }),
    },
    environment: { AGENT_TOKEN: token },
  }),
  mcpCall: (name, input) => ({ name: `parlour_${name}`, input }),
}
