/** What a run is called where people read it: ids are long, and their ends tell them apart. */
const CHARS = 4;

export function runName(id: string): string {
  return `run ${id.slice(-CHARS).toLowerCase()}`;
}
