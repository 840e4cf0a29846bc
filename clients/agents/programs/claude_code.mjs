// Claude Code.

import { fileOf, versionOf } from './package_folder.mjs'
import { IN_PIECES } from './streaming.mjs'

const PACKAGE = '@anthropic-ai/claude-code-linux-x64'
/** Odd spacing, so that a change of one byte shows. */
const settings = '{\n   "permissions": {"allow": [ "Bash(touch:*)", "mcp__parlour" ]},\n  "cleanupPeriodDays": 30 }\n'

export default {
  id: 'claude-code',
  title: 'Claude Code',
  version: versionOf(PACKAGE),
  command: { name: 'claude', file: fileOf(PACKAGE, 'claude') },
  hook: 'claude-code',
  files: () => ({ '.claude/settings.json': settings }),
  environment: stage => ({
    ANTHROPIC_BASE_URL: stage.model.url,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: stage.temporary,
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  }),
  turn: ['-p'],
  runner: ['--claude-code'],
  streams: IN_PIECES,
  shell: command => ({ name: 'Bash', input: { command, description: 'Run a command' } }),
  mcp: (_stage, { url, token }) => ({
    command: [
      'mcp',
      'add',
      '--scope',
      'user',
      '--transport',
      'http',
      'parlour',
      url,
      '--header',
      `Authorization: Bearer ${token}`,
    ],
  }),
  mcpCall: (name, input) => ({ name: `mcp__parlour__${name}`, input }),
}
