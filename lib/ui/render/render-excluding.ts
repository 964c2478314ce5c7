import type { Excluding } from '../../domain/ports/changeset-question.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostPaths = 3;

/** Which changesets can't land together with the one that is asked about, a sentence each. */
export function renderExcluding(excluding: readonly Excluding[]): readonly string[] {
  return excluding.map(({ group, isApproved, paths }) => {
    const rest = paths.length - mostPaths;
    const where =
      paths.slice(0, mostPaths).map(visibleLine).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
    const name = visibleLine(group);
    const what = isApproved
      ? `It conflicts with ${name}, which is approved already, in ${where}`
      : `It conflicts with ${name} in ${where}`;
    return `${what}: as they are now, only the one of the two that lands first does; the other goes back to its worker.`;
  });
}
