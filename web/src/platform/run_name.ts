/** The short name of a run: the end of its id, which differs between runs. */
const CHARS = 4;

export function runName(id: string): string {
  return `run ${id.slice(-CHARS).toLowerCase()}`;
}
