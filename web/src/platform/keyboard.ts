/** Listens for the shortcuts of the table on the whole page, until the returned function is called. */
export function listenForShortcuts(_letterKeys: () => boolean): () => void {
  return () => {};
}
