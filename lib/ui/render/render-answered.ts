import type { Changeset } from '../../domain/state/changeset.ts';
import { nameLines } from '../../domain/state/line-range.ts';
import { remarkHeads } from '../../domain/state/pull-request.ts';
import type { HistoryEntry, Task } from '../../domain/state/task.ts';
import { cutText } from '../../util/format-width.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostShown = 20;
const widest = 300;

/**
 * Renders the remarks on its pull request that a changeset answers, a bounded line each: those of the latest round that
 * its tasks were given before it was built.
 */
export function renderAnswered(changeset: Changeset, tasks: readonly Task[]): readonly string[] {
  return tasks.flatMap((task) => {
    const entry = before(changeset, task).findLast(({ on_request: isRound }) => isRound === true);
    if (entry === undefined) return [];
    const all = said(entry).map((line) => cutText(`${task.id}: ${line}`, widest));
    const left = all.length - mostShown;
    return left <= 0
      ? all
      : [...all.slice(0, mostShown), `${task.id}: ${left} more: git flame show ${task.id}`];
  });
}

/** The history before it was decided: it answers no later remarks. */
function before({ state, works = [] }: Changeset, { history }: Task): readonly HistoryEntry[] {
  const own = history.findIndex(({ work }) => work !== undefined && works.includes(work.commit));
  return state === 'waiting' || own === -1 ? history : history.slice(0, own);
}

function said({ notes, comments = [] }: HistoryEntry): readonly string[] {
  const paragraphs = notes.split(/\n{2,}/).filter((text) => !remarkHeads.includes(text));
  return [
    ...comments.map((comment) => `${comment.path}:${nameLines(comment)} ${comment.text}`),
    ...paragraphs,
  ].map((text) => visibleLine(text.replace(/\s+/g, ' ').trim()));
}
