import { formatCount } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** Result of a sync, as the store reports it. */
interface SyncReport {
  readonly remote: string;
  readonly refs: readonly { readonly ref: string; readonly outcome: string }[];
  readonly conflicts: readonly unknown[];
  readonly commits: { readonly received: number; readonly sent: number };
}

/** Renders what a sync did (or would do) in a few lines: one for each direction. */
export function renderSyncReport({ remote, refs, conflicts, commits }: SyncReport, isDry: boolean): string[] {
  const named = (outcome: string): string =>
    refs
      .filter((row) => row.outcome === outcome)
      .map(({ ref }) => ref.replace(/^refs\/blueflame\//, ''))
      .join(', ');
  const [merged, received, sent] = [named('merged'), named('received'), named('sent')];
  const lines = [
    ...(merged === ''
      ? []
      : [`${isDry ? 'Would merge' : 'Merged'} with ${remote}: ${merged}${countOf(conflicts.length)}`]),
    ...(received === '' ? [] : [`${isDry ? 'Would receive' : 'Received'} from ${remote}: ${received}`]),
    ...(sent === '' ? [] : [`${isDry ? 'Would send' : 'Sent'} to ${remote}: ${sent}`]),
    ...(commits.received === 0 ? [] : [`Commits received: ${commits.received}`]),
    ...(commits.sent === 0 ? [] : [`Commits ${isDry ? 'to send' : 'sent'}: ${commits.sent}`]),
  ];
  if (lines.length > 0) return lines;
  const isEmpty = refs.every(({ outcome }) => outcome === 'absent');
  return [isEmpty ? `No state here or on ${remote} yet.` : `Up to date with ${remote}.`];
}

function countOf(conflicts: number): string {
  return conflicts === 0 ? ', no conflict' : `, ${formatCount(conflicts, 'conflict')}`;
}

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
export function renderIncomingChanges(changes: readonly Change[], style: Style): readonly string[] {
  const sessions = [...new Set(changes.map(({ session }) => session))];
  const lines = sessions.flatMap((session) => [
    `Received for ${toPrintableLine(session)}:`,
    ...changes
      .filter((change) => change.session === session)
      .flatMap((change) => wrapText(toPrintableLine(describe(change)), style.width, '  ')),
  ]);
  const rest = lines.length - mostLines;
  if (rest <= 0) return lines;
  const more = `and ${rest} more ${rest === 1 ? 'line' : 'lines'}: git log -p --first-parent refs/blueflame/tasks refs/blueflame/sessions`;
  return [...lines.slice(0, mostLines), more];
}

function describe({ about, what, from, to }: Change): string {
  const name = about === '' || about === what ? what : `${about} ${what}`;
  if (from === null) return `${name}: new: ${to ?? 'nothing'}`;
  return `${name}: ${from} → ${to ?? 'deleted'}`;
}
