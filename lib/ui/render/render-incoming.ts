import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

/** One thing another clone changed; see IncomingChange. */
interface Change {
  readonly session: string;
  readonly about: string;
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

const mostLines = 60;

/** Renders changes of a sync, a line each below their session: `task-001 status: pending → done at 12ab…`. */
export function renderIncoming(changes: readonly Change[], style: Style): readonly string[] {
  const sessions = [...new Set(changes.map(({ session }) => session))];
  const lines = sessions.flatMap((session) => [
    `What came in of ${visibleLine(session)}:`,
    ...changes
      .filter((change) => change.session === session)
      .flatMap((change) => wrapText(visibleLine(describe(change)), style.width, '  ')),
  ]);
  const rest = lines.length - mostLines;
  if (rest <= 0) return lines;
  const more = `and ${rest} more ${rest === 1 ? 'line' : 'lines'}: git log -p --first-parent refs/blueflame/tasks refs/blueflame/sessions`;
  return [...lines.slice(0, mostLines), more];
}

function describe({ about, what, from, to }: Change): string {
  const name = about === '' || about === what ? what : `${about} ${what}`;
  if (from === null) return `${name}: new: ${to ?? 'nothing'}`;
  return `${name}: ${from} → ${to ?? 'gone'}`;
}
