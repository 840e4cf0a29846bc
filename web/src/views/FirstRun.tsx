/** The first minute of a new hub: a name, then a filled example in #general. */
export function FirstRun() {
  return null;
}
