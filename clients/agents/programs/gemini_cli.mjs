// Gemini CLI.

import { fileOf, versionOf } from './package_folder.mjs'
import { IN_PIECES } from './streaming.mjs'

const PACKAGE = '@google/gemini-cli'
const basis = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
}
/** With a comment and tabs, which must survive. */
const settings = more => `// by hand\n${JSON.stringify({ ...basis, ...more }, null, '\t')}\n`
/** The tools of the scenarios; the installer of the hook permits its own commands. */
const policy = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "touch"
decision = "allow"
priority = 100
`

export default {
  id: 'gemini',
  title: 'Gemini CLI',
  version: versionOf(PACKAGE),
  command: { name: 'gemini', file: fileOf(PACKAGE, 'bundle', 'gemini.js') },
  hook: 'gemini',
  files: () => ({ '.gemini/settings.json': settings(), '.gemini/policies/own.toml': policy }),
  environment: stage => ({ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: stage.model.url }),
  turn: ['--skip-trust', '--model', 'gemini-2.5-flash'],
  runner: ['--gemini-cli', '--model', 'gemini-2.5-flash', '--', '--skip-trust'],
  streams: IN_PIECES,
  notes: ['in the texts of hooks, the model gets `&gt;` and `&lt;` for `>` and `<`.'],
  shell: command => ({ name: 'run_shell_command', input: { command } }),
  mcp: (_stage, { url, token }) => ({
    files: {
      '.gemini/settings.json': settings({
        mcpServers: { parlour: { type: 'http', url, headers: { Authorization: `Bearer ${token}` }, trust: true } },
      }),
    },
  }),
  mcpCall: (name, input) => ({ name: `mcp_parlour_${name}`, input }),
}
