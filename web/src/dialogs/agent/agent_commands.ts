/** The exact lines that bring an agent in from a terminal: they must work when pasted. Pure. */

/** Starts an agent with a token of its own, which also says its name and project. */
export function runLine(hubUrl: string, token: string): string {
  return `PARLOUR_URL=${quoted(hubUrl)} PARLOUR_TOKEN=${quoted(token)} parlour agent --exec 'claude -p'`;
}

/** Joins by a code and keeps the token in this folder, where the second line finds it. */
export function joinLines(hubUrl: string, code: string): string {
  return `parlour join ${quoted(`${hubUrl}/#${code}`)} NAME --save\nparlour agent --exec 'claude -p'`;
}

/** One word to the shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
