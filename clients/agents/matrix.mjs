// The page with the results: which program can do what, by which path, and why not.

/** The paths between the hub and a program. */
export const PATHS = { hook: 'hook', runner: 'runner', mcp: 'MCP' }

const ABILITIES = [
  ['wakes', 'A mention starts the program while it is idle'],
  ['injects', 'The prompt of its user contains unread messages'],
  ['steers', 'A message that arrives during a turn reaches the model in that turn'],
  ['streams', 'Text appears in the conversation while the model works'],
  ['reports', 'Tool calls and token usage appear with the answer'],
  ['pauses', 'A blocking message pauses the run: the next tool does not run before the answer'],
  ['polls', 'The model reads its inbox with a tool'],
  ['answers', 'The reply settles exactly the message that it names'],
  [
    'records',
    'What the hub keeps of a run equals the model requests: by hook the same texts, by runner the same messages',
  ],
  ['restores', 'Uninstalling restores the configuration byte for byte'],
]

const HEAD = `# Coding agents

<!-- \`cargo xtask agents\` writes this page from the results of its run. -->

Which coding agents work with Parlour, and how far. \`cargo xtask test agents\` starts each program in the named version with an empty
home folder, against a running hub and a scripted model, and checks that this page shows what it observed.

A program is connected by one or more paths:

- **hook**: \`parlour hook install\` in the program, which its user runs ([hooks](hooks.md)).
- **runner**: \`parlour agent --claude-code\` (\`--codex\`, \`--gemini-cli\`, \`--opencode\`) starts the program for each answer
  ([agents](agents.md#coding-program)).
- **MCP**: the program connects to \`/mcp\` with its own configuration ([MCP](mcp.md)).

Each cell lists the paths by which the program has the ability. Cursor is not part of the test, because its program is not available
as a package; [hooks](hooks.md#tool-support) describes what its documentation promises.
`

/** The text of the page. `results` has, for each program in order, the program and what was observed by each path. */
export function renderPage(results) {
  const titles = results.map(({ program }) => `${program.title} ${program.version}`)
  const rows = ABILITIES.map(([ability, meaning]) => {
    const cells = results.map(({ program, observed }) => cell(program, observed, ability))
    return row(`**${ability}**: ${meaning}`, cells)
  })
  const table = [row('', titles), `|${'---|'.repeat(results.length + 1)}`, ...rows]
  const notes = results.flatMap(({ program }) => [
    ...Object.entries(program.without ?? {}).map(([what, why]) => note(program, what, why)),
    ...(program.notes ?? []).map(text => `- ${program.title}: ${text}`),
  ])
  return `${HEAD}\n${table.join('\n')}\n\n## Notes\n\n${notes.join('\n')}\n`
}

/** The abilities that were not observed, as "path" or "path.ability"; each needs a reason in `without` of the program. */
export function missing(observed) {
  return Object.keys(PATHS).flatMap(path => {
    if (!observed[path]) return [path]
    return ABILITIES.map(([ability]) => ability)
      .filter(ability => observed[path][ability] === false)
      .map(ability => `${path}.${ability}`)
  })
}

const row = (first, cells) => `| ${[first, ...cells].join(' | ')} |`

function cell(program, observed, ability) {
  const paths = Object.keys(PATHS).filter(path => observed[path]?.[ability])
  const how = path => (ability === 'streams' ? `${PATHS[path]}, ${program.streams.shows}` : PATHS[path])
  return paths.map(how).join(', ') || 'no'
}

function note(program, what, why) {
  const [path, ability] = what.split('.')
  return `- ${program.title}, ${PATHS[path]}${ability ? `, *${ability}*` : ''}: ${why}`
}
