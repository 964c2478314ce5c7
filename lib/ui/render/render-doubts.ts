import type { Doubt } from '../../domain/state/doubt.ts';
import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostShown = 20;

/** What another clone says has ended and what it counts as here, a line each, and what a person can do about it. */
export function renderDoubts(doubts: readonly Doubt[], style: Style): readonly string[] {
  const [first] = doubts;
  if (first === undefined) return [];
  const lines = doubts.slice(0, mostShown).map(describeDoubt);
  const rest = doubts.length - lines.length;
  const all = [...lines, ...(rest > 0 ? [`and ${rest} more`] : []), ...waysOn(doubts)];
  return [
    'Said by another clone, and not so here:',
    ...all.flatMap((line) => wrapText(line, style.width, '  ')),
  ];
}

/** One as a sentence. */
export function describeDoubt({ session, about, said, counts, branch }: Doubt): string {
  const why = branch === null ? 'this clone did not decide that' : `${branch} here does not hold it`;
  const asWhat = counts === null ? '' : `; it counts as ${counts}`;
  return visibleLine(`${about === '' ? session : about} ${said}: ${why}${asWhat}`);
}

/** What makes it so, or takes it back, as lines with their commands. */
export function waysOn(doubts: readonly Doubt[]): readonly string[] {
  const [first] = doubts;
  if (first === undefined) return [];
  const branch = doubts.find((doubt) => doubt.branch !== null)?.branch ?? null;
  const isOne = doubts.length === 1;
  const name = !isOne
    ? 'all'
    : first.counts === 'not landed' || first.about === ''
      ? first.session
      : first.about;
  return [
    ...(branch === null ? [] : [`If it landed elsewhere, bring ${branch} up to date here: git pull`]),
    `To send your own version again: git flame sync --restore ${name}`,
    `To take it as it is said: git flame sync --accept ${name}`,
  ].map(visibleLine);
}

/** What a sync brought back or took as said, a line each. */
export function renderSettled({
  restored,
  accepted,
}: {
  readonly restored: readonly string[];
  readonly accepted: readonly string[];
}): readonly string[] {
  return [
    ...(restored.length === 0 ? [] : [`As this clone left it again: ${restored.join(', ')}`]),
    ...(accepted.length === 0 ? [] : [`Taken as another clone says it: ${accepted.join(', ')}`]),
  ].map(visibleLine);
}
