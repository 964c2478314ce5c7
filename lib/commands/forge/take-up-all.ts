import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { type TakenUp, takeUp } from '../../engine/review/take-up.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import type { Opened } from '../open/open-workshop.ts';
import type { RequestNews } from './ask-for-news.ts';

/**
 * Takes up what was said of each request. Of several, one that is over or had its rounds is named, and keeps nothing from
 * the others; of a single one that is an error of takeUp. `refused`: of how many nothing was taken up.
 */
export async function takeUpAll(
  { workshop, output }: Opened,
  id: SessionId,
  { all, isAllowedMore }: { readonly all: readonly RequestNews[]; readonly isAllowedMore: boolean },
): Promise<TakenUp & { readonly refused: number }> {
  let [left, refused] = [0, 0];
  const awaited: string[] = [];
  const tasks: TakenUp['tasks'][number][] = [];
  for (const { request, news, reopen } of all) {
    try {
      const taken = await takeUp(workshop, id, news, { isAllowedMore, reopen, request });
      tasks.push(...taken.tasks);
      left += taken.left;
      awaited.push(...taken.awaited);
    } catch (error) {
      const isOne = error instanceof FlameError && /^pull-request-(?:over|rounds)$/.test(error.code);
      if (all.length === 1 || !isOne) throw error;
      if (error.code === 'pull-request-over') output.info(error.message);
      else {
        refused += 1;
        workshop.events.emit({ event: 'notice', level: 'warning', message: error.message, details: [] });
        for (const hint of error.hints) output.hint(hint);
      }
    }
  }
  for (const name of awaited) {
    const message = `The log of the failed check ${visibleLine(name)} can't be had yet, as before all of its run has ended. It is asked for again with the next git flame pr; then the check goes to its task in any case.`;
    output.info(message);
  }
  return { tasks, left, awaited, refused };
}
