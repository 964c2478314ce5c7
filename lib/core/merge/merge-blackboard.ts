import { type BlackboardPage, type LeftNote, noteBounds } from '../../domain/state/blackboard.ts';
import { byText } from '../../util/by-text.ts';
import { shortId } from '../../util/short-id.ts';
import { oneLine } from '../task/one-line.ts';
import { type Merged, mergeById, preferring } from './merge-values.ts';

/**
 * What was left in two clones: what either added is there, what either took away is not. Where that is more than there
 * may be, the newest stay.
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
