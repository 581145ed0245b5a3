import { printable } from './printable.js';

/** Rows as aligned columns under a head, for a person to read. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map((row) => row.map((cell) => printable(cell.replace(/\s+/g, ' '))))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function widthOf(cell: string): number {
  return [...cell].length;
}
