import { textWidth, wrapText } from './format-width.ts';

interface TableOptions {
  readonly width: number;
  readonly indent?: string;
  /** The column that takes the remaining width and is wrapped; the last one by default. */
  readonly flex?: number;
}

/** Room below which the flexible column moves to a line of its own. */
const leastRoom = 20;

/** Rows in aligned columns, two spaces apart; cells may hold colour codes, the flexible column none. */
export function renderTable(rows: readonly (readonly string[])[], options: TableOptions): readonly string[] {
  const indent = options.indent ?? '';
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const flex = options.flex ?? columns - 1;
  // A session has thousands of tasks: each cell is measured once.
  const measured = rows.map((row) => row.map(textWidth));
  const widths = Array.from({ length: columns }, (_, column) =>
    measured.reduce((widest, row) => Math.max(widest, row[column] ?? 0), 0),
  );
  const fixed = widths.reduce((sum, width, column) => (column === flex ? sum : sum + width + 2), indent.length);
  const room = options.width - fixed;
  if (room < leastRoom && (widths[flex] ?? 0) > room)
    return rows.flatMap((row) => stackRow(row, flex, indent, options.width));
  const lines: string[] = [];
  for (const [at, row] of rows.entries())
    layRow({ row, measured: measured[at] ?? [] }, { widths, flex, indent, room }, lines);
  return lines;
}

interface Layout {
  readonly widths: readonly number[];
  readonly flex: number;
  readonly indent: string;
  readonly room: number;
}

interface MeasuredRow {
  readonly row: readonly string[];
  readonly measured: readonly number[];
}

/** Adds the lines of a row: more than one where its flexible cell is wrapped. */
function layRow({ row, measured }: MeasuredRow, layout: Layout, lines: string[]): void {
  const { widths, flex, indent, room } = layout;
  const parts = wrapText(row[flex] ?? '', room);
  for (const [at, part] of parts.entries()) {
    let line = indent;
    for (const [column, width] of widths.entries()) {
      const isFlex = column === flex;
      const cell = isFlex ? part : at === 0 ? (row[column] ?? '') : '';
      const used = cell === row[column] ? (measured[column] ?? 0) : textWidth(cell);
      const gap = (isFlex ? Math.min(room, width) : width) - used;
      line += `${column === 0 ? '' : '  '}${cell}${gap > 0 ? ' '.repeat(gap) : ''}`;
    }
    lines.push(line.trimEnd());
  }
}

/** The cells one after the other, as many to a line as fit, the flexible one below them. */
function stackRow(row: readonly string[], flex: number, indent: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const cell of row.filter((text, column) => column !== flex && text !== '')) {
    const last = lines.at(-1);
    const joined = last === undefined ? indent + cell : `${last}  ${cell}`;
    if (last === undefined || textWidth(joined) > width) lines.push(last === undefined ? joined : `${indent}  ${cell}`);
    else lines[lines.length - 1] = joined;
  }
  return [...lines, ...wrapText(row[flex] ?? '', width, `${indent}  `)];
}
