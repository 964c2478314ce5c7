import type { LogEntry } from '../domain/store-port.ts';
import { formatTime } from '../util/format-time.ts';
import { wrapText } from '../util/format-width.ts';
import { shortId } from './short-id.ts';
import type { Style } from './style.ts';
import { visibleLine, visibleText } from './visible-text.ts';

/** What happened, one entry after the other; why stands below where it is known. */
export function renderLog(entries: readonly LogEntry[], style: Style): string {
  if (entries.length === 0) return 'Nothing has happened yet.';
  return entries.flatMap((entry) => renderEntry(entry, style)).join('\n');
}

function renderEntry(entry: LogEntry, style: Style): readonly string[] {
  const id = shortId(entry.commit);
  const text = `${id} ${formatTime(entry.at)} ${visibleLine(entry.subject)} (${visibleLine(entry.author)})`;
  const [first = '', ...rest] = wrapText(text, style.width);
  const body = entry.body.trim();
  return [
    style.yellow(id) + first.slice(id.length),
    ...rest.flatMap((line) => wrapText(line, style.width, '  ')),
    ...(body === '' ? [] : wrapText(visibleText(body), style.width, '    ').map(style.dim)),
  ];
}
