// Codex.

import { fileOf, versionOf } from './package_folder.mjs'
import { PER_MESSAGE } from './streaming.mjs'

const PACKAGE = '@openai/codex-linux-x64'
const hooks = '{ "hooks":{} ,\n\t"description" : "kept" }\n'
/** The tools of the scenarios; the installer of the hook permits its own commands. */
const rules = 'prefix_rule(pattern = ["touch"], decision = "allow")\n'

const config = stage => `# The scripted model.
model = "scripted"
model_provider = "scripted"
approval_policy   = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "${stage.model.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[features]
apps = false
plugin_sharing = false
plugins = false
remote_plugin = false

[analytics]
enabled = false
`

const server = url => `
[mcp_servers.parlour]
url = "${url}"
bearer_token_env_var = "AGENT_TOKEN"
default_tools_approval_mode = "approve"
`

export default {
  id: 'codex',
  title: 'Codex',
  version: versionOf(PACKAGE),
  command: { name: 'codex', file: fileOf(PACKAGE, 'vendor', 'x86_64-unknown-linux-musl', 'bin', 'codex') },
  hook: 'codex',
  files: stage => ({
    '.codex/config.toml': config(stage),
    '.codex/hooks.json': hooks,
    '.codex/rules/own.rules': rules,
  }),
  environment: () => ({ SCRIPTED_KEY: 'scripted' }),
  // The flag stands for the trust that a user gives in `/hooks`.
  turn: ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-'],
  runner: ['--codex', '--', '--skip-git-repo-check'],
  streams: PER_MESSAGE,
  notes: ['a hook runs only after its user has trusted it in `/hooks`. The test skips this with a flag.'],
  shell: command => ({ name: 'exec_command', input: { cmd: command } }),
  mcp: (stage, { url, token }) => ({
    files: { '.codex/config.toml': config(stage) + server(url) },
    environment: { AGENT_TOKEN: token },
  }),
  mcpCall: (name, input) => ({ name, input, namespace: 'mcp__parlour' }),
}
