/** Holds the columns of a live table still: they are as wide as its head and first row made them. */

/** Fixes the columns once a second row has begun. Widths are shares of the table, so it still follows its window. */
export function fixColumns(block: HTMLElement): void {
  const table = block.querySelector(':scope > table');
  if (!(table instanceof HTMLTableElement) || table.style.tableLayout === 'fixed') return;
  if (table.rows.length < 3) return;
  const cells = [...(table.rows[0]?.cells ?? [])];
  const width = table.getBoundingClientRect().width;
  if (width === 0) return;
  const shares = cells.map((cell) => `${((cell.getBoundingClientRect().width / width) * 100).toFixed(3)}%`);
  table.style.width = `${width}px`;
  table.style.tableLayout = 'fixed';
  for (const [index, cell] of cells.entries()) cell.style.width = shares[index] ?? '';
}
