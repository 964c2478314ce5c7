import { formatCount } from '../../util/format-figures.ts';

/** Result of a sync, as the store reports it. */
interface SyncReport {
  readonly remote: string;
  readonly refs: readonly { readonly ref: string; readonly outcome: string }[];
  readonly conflicts: readonly unknown[];
  readonly commits: { readonly received: number; readonly sent: number };
}

/** Renders what a sync did (or would do) in a few lines: one for each direction. */
export function renderSync({ remote, refs, conflicts, commits }: SyncReport, isDry: boolean): string[] {
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
    ...(received === '' ? [] : [`${isDry ? 'Would take' : 'Received'} from ${remote}: ${received}`]),
    ...(sent === '' ? [] : [`${isDry ? 'Would send' : 'Sent'} to ${remote}: ${sent}`]),
    ...(commits.received === 0 ? [] : [`Commits received: ${commits.received}`]),
    ...(commits.sent === 0 ? [] : [`Commits ${isDry ? 'to send' : 'sent'}: ${commits.sent}`]),
  ];
  if (lines.length > 0) return lines;
  const isEmpty = refs.every(({ outcome }) => outcome === 'absent');
  return [isEmpty ? `There is no state here or on ${remote} yet.` : `Up to date with ${remote}.`];
}

function countOf(conflicts: number): string {
  return conflicts === 0 ? ', no conflict' : `, ${formatCount(conflicts, 'conflict')}`;
}
