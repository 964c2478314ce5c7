import { commandTable } from './command-table.ts';
import { commandNames, usageLine } from './render-help.ts';

const opening = '<!-- commands -->';
const closing = '<!-- /commands -->';

/** The commands as a Markdown table, for the README; their options are in the help. */
function renderCommandTable(): string {
  const rows = commandNames().map(
    (name) => `| \`${usageLine(name).replaceAll('|', '\\|')}\` | ${commandTable[name].summary} |`,
  );
  return ['| Command | |', '|---|---|', ...rows].join('\n');
}

/** A README with the table between its markers brought up to date; null if it has no markers. */
export function updateCommandTable(readme: string): string | null {
  const [start, end] = [readme.indexOf(opening), readme.indexOf(closing)];
  if (start < 0 || end < start) return null;
  return `${readme.slice(0, start + opening.length)}\n${renderCommandTable()}\n${readme.slice(end)}`;
}
