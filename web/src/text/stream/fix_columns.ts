/** Holds the columns of a live table still, with some room for what later rows may bring. */

/** How much wider than its first row a live table is made, where there is room. */
const ROOM = 1.5;

/** Fixes the columns once a second row has begun. */
export function fixColumns(block: HTMLElement): void {
  const table = block.querySelector(':scope > table');
  if (!(table instanceof HTMLTableElement) || table.style.tableLayout === 'fixed' || table.rows.length < 3) return;
  const cells = [...(table.rows[0]?.cells ?? [])];
  const width = table.getBoundingClientRect().width;
  if (width === 0) return;
  const shares = cells.map((cell) => cell.getBoundingClientRect().width / width);
  table.style.width = `${Math.max(width, Math.min(width * ROOM, roomFor(table, block)))}px`;
  table.style.tableLayout = 'fixed';
  for (const [index, cell] of cells.entries()) cell.style.width = `${Number(((shares[index] ?? 0) * 100).toFixed(3))}%`;
}

/** How wide the text can become: what is around it grows with what is in it, up to a bound that only the browser knows. */
function roomFor(table: HTMLTableElement, block: HTMLElement): number {
  table.style.width = '200vw';
  return block.clientWidth;
}
