/** Shell commands that connect an agent; they must work when pasted. Pure. */

/** Starts an agent with its token, which also determines its name and project. */
export function runLine(hubUrl: string, token: string): string {
  return `PARLOUR_URL=${quoted(hubUrl)} PARLOUR_TOKEN=${quoted(token)} parlour agent --claude-code`;
}

/** Joins with an invite code and stores the token in this folder, where the second command finds it. */
export function joinLines(hubUrl: string, code: string): string {
  return `parlour join ${quoted(`${hubUrl}/#${code}`)} NAME --save\nparlour agent --claude-code`;
}

/** Quotes a text as one shell word. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
