import type { UnverifiedCompletion } from '../../domain/state/task.ts';
import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostShown = 20;

/** Renders unverified completions with what they count as here, a line each, and what a person can do about them. */
export function renderUnverified(doubts: readonly UnverifiedCompletion[], style: Style): readonly string[] {
  const [first] = doubts;
  if (first === undefined) return [];
  const lines = doubts.slice(0, mostShown).map(describeUnverified);
  const rest = doubts.length - lines.length;
  const all = [...lines, ...(rest > 0 ? [`and ${rest} more`] : []), ...waysOn(doubts)];
  return [
    'Said by another clone, and not so here:',
    ...all.flatMap((line) => wrapText(line, style.width, '  ')),
  ];
}

/** One as a sentence. */
export function describeUnverified({ session, about, said, counts, branch }: UnverifiedCompletion): string {
  const why = branch === null ? 'this clone did not decide that' : `${branch} here does not hold it`;
  const asWhat = counts === null ? '' : `; it counts as ${counts}`;
  return visibleLine(`${about === '' ? session : about} ${said}: ${why}${asWhat}`);
}

/** Ways to accept or restore unverified completions, as lines with their commands. */
export function waysOn(doubts: readonly UnverifiedCompletion[]): readonly string[] {
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

/** Renders what a sync restored or accepted, a line each. */
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
