import type { Changeset } from '../../domain/state/changeset.ts';
import { visibleLine } from '../text/visible-text.ts';
import { askLine, type Question } from './choose.ts';

/** Whose decision is taken back; null: none after all. */
export async function askDecided(asking: Question, decided: readonly Changeset[]): Promise<Changeset | null> {
  for (const { id, state, reason } of decided)
    asking.say(visibleLine(`  ${id}  ${state}${reason === null ? '' : `: ${reason}`}`));
  for (;;) {
    const named = (await askLine(asking, 'Take back which (Enter: none): ')).trim();
    if (named === '') return null;
    const meant = decided.findLast(({ id, group }) => id === named || group === named);
    if (meant !== undefined) return meant;
    asking.say(visibleLine(`Nothing was decided here about ${named}.`));
  }
}
