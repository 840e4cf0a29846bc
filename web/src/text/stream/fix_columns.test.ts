import { expect, it } from 'vitest';
import { fixColumns } from './fix_columns';
import { TextView } from './text_view';

/** A table with columns of 100 and 300 pixels, where the text can become `room` wide. */
function tableOf(rows: number, room: number): { block: HTMLElement; table: HTMLTableElement } {
  const root = document.createElement('div');
  new TextView(root, {}, () => {}).finish(`|a|b|\n|-|-|\n${'|1|2|\n'.repeat(rows)}`);
  const block = root.firstElementChild as HTMLElement;
  const table = block.querySelector('table') as HTMLTableElement;
  const widths = new Map<Element, number>([[table, 400]]);
  for (const [index, cell] of [...(table.rows[0]?.cells ?? [])].entries()) widths.set(cell, index === 0 ? 100 : 300);
  for (const [node, width] of widths) node.getBoundingClientRect = () => new DOMRect(0, 0, width, 10);
  Object.defineProperty(block, 'clientWidth', { value: room });
  return { block, table };
}

it('waits for a second row', () => {
  const { block, table } = tableOf(1, 900);
  fixColumns(block);
  expect(table.style.tableLayout).toBe('');
});

it('fixes the shares of the columns, with extra width', () => {
  const { block, table } = tableOf(2, 900);
  fixColumns(block);
  expect([table.style.tableLayout, table.style.width]).toEqual(['fixed', '600px']);
  expect([...(table.rows[0]?.cells ?? [])].map((cell) => cell.style.width)).toEqual(['25%', '75%']);
});

it('measures the first row alone, whatever follows', () => {
  const { block, table } = tableOf(4, 900);
  let measured: boolean[] = [];
  table.getBoundingClientRect = () => {
    measured = [...table.rows].map((row) => row.hidden === true);
    return new DOMRect(0, 0, 400, 10);
  };
  fixColumns(block);
  expect(measured).toEqual([false, false, true, true, true]);
  expect([...table.rows].some((row) => row.hidden === true)).toBe(false);
});

it('becomes no wider than there is room, and no narrower than it was', () => {
  for (const [room, width] of [
    [450, '450px'],
    [200, '400px'],
  ] as const) {
    const { block, table } = tableOf(2, room);
    fixColumns(block);
    expect(table.style.width).toBe(width);
  }
});
