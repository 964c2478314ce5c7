import type { ReviewNote, Verdict } from '../../domain/state/verdict.ts';
import { formatSpend, formatTime } from '../../util/format-figures.ts';
import { toOneLine } from '../task/bound-text.ts';

const longestReason = 120;
const longestLine = 400;
const mostTasks = 10;

/** A review as people read it below a commit in `git log`: two lines, and one for each thing out of the ordinary. */
export function renderReviewForGitLog(review: ReviewNote): string {
  const { by, at, tasks, override, undone } = review;
  const rest = tasks.length - mostTasks;
  const judged = tasks.slice(0, mostTasks).map(({ id, verdict, override: why }) => {
    const word = why === undefined ? (verdict ?? 'not judged') : `passed manually, ${reasonOf(why)}`;
    return `${id} ${word}`;
  });
  return lines([
    `approved by ${nameOf(by)}, ${formatTime(at)}, ${formatSpend(review)}`,
    [...judged, ...(rest > 0 ? [`and ${rest} more`] : [])].join(' · '),
    ...(override === null ? [] : [`although checks fail: ${reasonOf(override)}`]),
    ...(undone === undefined
      ? []
      : [`taken back by ${nameOf(undone.by)}, ${formatTime(undone.at)}: ${reasonOf(undone.reason)}`]),
  ]);
}

/** The latest verdict on a commit, one line. */
export function renderVerdictForGitLog({ task, status, by, notes }: Verdict): string {
  const said = notes === '' ? '' : `: ${reasonOf(notes)}`;
  return lines([`${task} ${status} by ${nameOf(by)}${said}`]);
}

/** Bounds each text to one line: anyone who may push can write it, and git prints it as it is. */
function lines(texts: readonly string[]): string {
  return texts.map((text) => `${toOneLine(text, longestLine)}\n`).join('');
}

function reasonOf(text: string): string {
  return toOneLine(text, longestReason);
}

/** Without a mail address. */
function nameOf(person: string): string {
  return toOneLine(person.replace(/ <[^<>]*>$/, ''));
}
