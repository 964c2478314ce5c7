import { commandTable } from './command-table.ts';
import { commandNames, usageLine } from './render-help.ts';

const opening = '<!-- commands -->';
const closing = '<!-- /commands -->';

/** The commands as a Markdown table, for docs/commands.md; their options are in the help. */
function renderCommandTable(): string {
  const rows = commandNames().map(
    (name) => `| \`${usageLine(name).replaceAll('|', '\\|')}\` | ${commandTable[name].summary} |`,
  );
  return ['| Command | |', '|---|---|', ...rows].join('\n');
}

/** A page with the table between its markers brought up to date; null if it has no markers. */
export function updateCommandTable(page: string): string | null {
  const [start, end] = [page.indexOf(opening), page.indexOf(closing)];
  if (start < 0 || end < start) return null;
  return `${page.slice(0, start + opening.length)}\n${renderCommandTable()}\n${page.slice(end)}`;
}
