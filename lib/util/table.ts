import { padText, textWidth, wrapText } from './format-width.ts';

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
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const flex = options.flex ?? columns - 1;
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), 0),
  );
  const fixed = widths.reduce(
    (sum, width, column) => (column === flex ? sum : sum + width + 2),
    indent.length,
  );
  const room = options.width - fixed;
  return rows.flatMap((row) => {
    if (room < leastRoom && (widths[flex] ?? 0) > room) return stackRow(row, flex, indent, options.width);
    return layRow(row, { widths, flex, indent, room });
  });
}

interface Layout {
  readonly widths: readonly number[];
  readonly flex: number;
  readonly indent: string;
  readonly room: number;
}

function layRow(row: readonly string[], { widths, flex, indent, room }: Layout): readonly string[] {
  const lines = wrapText(row[flex] ?? '', room);
  const flexWidth = Math.min(room, widths[flex] ?? 0);
  return lines.map((line, index) => {
    const cells = widths.map((width, column) => {
      if (column === flex) return padText(line, flexWidth);
      return padText(index === 0 ? (row[column] ?? '') : '', width);
    });
    return (indent + cells.join('  ')).trimEnd();
  });
}

/** The cells one after the other, as many to a line as fit, the flexible one below them. */
function stackRow(row: readonly string[], flex: number, indent: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const cell of row.filter((text, column) => column !== flex && text !== '')) {
    const last = lines.at(-1);
    const joined = last === undefined ? indent + cell : `${last}  ${cell}`;
    if (last === undefined || textWidth(joined) > width)
      lines.push(last === undefined ? joined : `${indent}  ${cell}`);
    else lines[lines.length - 1] = joined;
  }
  return [...lines, ...wrapText(row[flex] ?? '', width, `${indent}  `)];
}
