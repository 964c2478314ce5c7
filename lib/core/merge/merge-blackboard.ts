import { type BlackboardPage, type LeftNote, noteBounds } from '../../domain/state/blackboard.ts';
import { shortId } from '../../util/short-names.ts';
import { byText } from '../../util/sort-and-group.ts';
import { oneLine } from '../task/one-line.ts';
import { type Merged, mergeById, preferring } from './merge-values.ts';

/**
 * Merges the notes left in two clones: those either added are there, those either removed are not. Where these are more
 * than are allowed, the newest stay.
 */
export function mergeBlackboard(
  base: BlackboardPage | null,
  ours: BlackboardPage,
  theirs: BlackboardPage,
): Merged<BlackboardPage> {
  const all = mergeById<LeftNote>(
    { base: base?.notes, ours: ours.notes, theirs: theirs.notes },
    { id: ({ id }) => id, prefer: preferring(), order: preferring((a, b) => byText(a.at, b.at)) },
  );
  const most = ours.task === null ? noteBounds.ofSession : noteBounds.ofTask;
  const kept = all.slice(-most);
  const lost = all.slice(0, -most).map((note) => ({
    what: `note ${shortId(note.id)}`,
    kept: `the newest ${most}`,
    lost: oneLine(note.text),
  }));
  return { value: { ...ours, rev: Math.max(ours.rev, theirs.rev), notes: kept }, lost };
}
