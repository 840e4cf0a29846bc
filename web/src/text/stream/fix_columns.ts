/**
 * Fixes the column widths of a table. The header and the first row decide, so that a table has the same widths while it
 * streams, when it is complete and after a reload.
 */

/** How much wider than its first row the table becomes, where there is space. */
const WIDTH_FACTOR_MAX = 1.5;
/** Header and first row. */
const DECIDING_ROWS = 2;

/** Fixes the columns once a second row has started. Does nothing while the table is not on the page. */
export function fixColumns(block: HTMLElement): void {
  const table = block.querySelector(':scope > table');
  if (!(table instanceof HTMLTableElement) || table.style.tableLayout === 'fixed') return;
  const later = [...table.rows].slice(DECIDING_ROWS);
  if (later.length === 0) return;
  for (const row of later) row.hidden = true;
  fixByVisibleRows(table, block);
  for (const row of later) row.hidden = false;
}

function fixByVisibleRows(table: HTMLTableElement, block: HTMLElement): void {
  const cells = [...(table.rows[0]?.cells ?? [])];
  const width = table.getBoundingClientRect().width;
  if (width === 0) return;
  const shares = cells.map((cell) => cell.getBoundingClientRect().width / width);
  table.style.width = `${Math.max(width, Math.min(width * WIDTH_FACTOR_MAX, widthMaxOf(table, block)))}px`;
  table.style.tableLayout = 'fixed';
  for (const [index, cell] of cells.entries()) cell.style.width = `${Number(((shares[index] ?? 0) * 100).toFixed(3))}%`;
}

/** Returns the maximum width: the container grows with its content up to a limit of the layout. */
function widthMaxOf(table: HTMLTableElement, block: HTMLElement): number {
  table.style.width = '200vw';
  return block.clientWidth;
}
