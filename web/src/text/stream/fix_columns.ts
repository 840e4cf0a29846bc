/** Fixes the column widths of a streaming table. */

/** How much wider than its first row the table becomes, where there is space. */
const ROOM = 1.5;

/** Fixes the columns once a second row has started. */
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

/** Returns the maximum width: the container grows with its content up to a limit of the layout. */
function roomFor(table: HTMLTableElement, block: HTMLElement): number {
  table.style.width = '200vw';
  return block.clientWidth;
}
