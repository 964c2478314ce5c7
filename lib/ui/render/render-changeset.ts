import type { BlockedCalls, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import {
  describeIncompleteChangeset,
  findVerdictOf,
  hasFailedDiagnostic,
  separateSharedNotes,
} from '../../domain/state/changeset-facts.ts';
import type { ReadingGuide } from '../../domain/state/reading-guide.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { formatCount, formatSpend } from '../../util/format-figures.ts';
import { joinTitles, textWidth, wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { renderAnsweredRemarks, renderEvidenceDoubt, renderMemberHead } from './changeset-lines.ts';
import { renderAttempts } from './render-attempts.ts';
import { renderChangesSinceSeen } from './render-changes-since-seen.ts';
import { renderGuideSummary } from './render-guide.ts';
import { removeRepeatedLines, renderBullet, renderDiagnosticRun } from './render-verdict.ts';

type ChangesetView = Omit<ChangesetQuestion, 'showDiff' | 'showInterdiff' | 'decideOther'> & {
  readonly guide?: ReadingGuide;
};

const widestHeading = 100;

/** A changeset to judge: what it changes, its tasks with their verdicts, and its diagnostics. */
export function renderChangeset(view: ChangesetView, style: Style): string {
  const { changeset, position, total, tasks, session } = view;
  const start = `Changeset ${position}/${total}: [${toPrintableLine(changeset.group)}] `;
  const titles = tasks.map((task) => toPrintableLine(task.title));
  const heading = start + joinTitles(titles, Math.min(style.width, widestHeading) - textWidth(start));
  return [
    ...wrapText(heading, style.width).map(style.bold),
    ...wrapText(renderStat(changeset), style.width, '  '),
    ...wrapText(
      `${shortId(changeset.commit)} on ${toPrintableLine(findLandingBranch(session))} at ${shortId(changeset.base)}, session so far ${formatSpend(session)}`,
      style.width,
      '  ',
    ).map(style.dim),
    ...renderMembers(view, style),
    ...renderRound(view, style),
    ...(view.guide === undefined ? [] : renderGuideSummary(view.guide, style)),
    ...(view.blocked ?? []).flatMap((calls) => renderBlocked(calls, style)),
    ...(view.since === undefined ? [] : renderChangesSinceSeen(view.since, style)),
    ...renderWarnings(view, style),
    ...changeset.diagnostics.flatMap((run) => renderDiagnosticRun(run, style, '  ')),
  ].join('\n');
}

function renderStat({ diffstat }: Changeset): string {
  const { files, insertions, deletions } = diffstat;
  return `${formatCount(files, 'file')} changed, ${formatCount(insertions, 'insertion')}(+), ${formatCount(deletions, 'deletion')}(-)`;
}

/** Its tasks, each with the latest verdict on exactly the commit that is in the changeset; notes they share once. */
function renderMembers({ tasks, verdicts }: ChangesetView, style: Style): readonly string[] {
  const members = tasks.map((task) => {
    const verdict = findVerdictOf(task, verdicts);
    return { task, verdict, notes: verdict?.notes ?? '' };
  });
  const { shared, own } = separateSharedNotes(members);
  return [
    ...own.flatMap((member) => renderMember(member, style)),
    ...(shared === '' ? [] : wrapText(`Each task: ${toPrintableText(shared)}`, style.width, '  ')),
  ];
}

interface Member {
  readonly task: Task;
  readonly verdict: Verdict | undefined;
  readonly notes: string;
}

function renderMember({ task, verdict, notes }: Member, style: Style): readonly string[] {
  const word = verdict?.status ?? 'no verdict';
  const paint = word === 'pass' ? style.green : word === 'fail' ? style.red : style.yellow;
  const head = renderMemberHead({ id: task.id, title: task.title, word: paint(word) });
  return [
    ...wrapText(notes === '' ? head : `${head}: ${toPrintableText(notes)}`, style.width, '  '),
    ...task.acceptance_criteria.flatMap((text) => renderBullet(`asked: ${toPrintableLine(text)}`, style, '    ')),
    ...issuesOf(verdict).flatMap((issue) => renderBullet(issue, style, '    ')),
    ...renderAttempts(task, style, '    '),
  ];
}

/** Issues without check output: that of a task is in its story, that of the changeset stands below. */
function issuesOf(verdict: Verdict | undefined): readonly string[] {
  const printed = (verdict?.diagnostics ?? []).map(({ output }) => output);
  return (verdict?.issues ?? []).map((issue) => removeRepeatedLines(issue, printed)).filter((issue) => issue !== '');
}

/** Of a round of its pull request: what it answers. */
function renderRound({ changeset, tasks }: ChangesetView, style: Style): readonly string[] {
  const answered = renderAnsweredRemarks(changeset, tasks);
  if (answered.length === 0) return [];
  return ['  Addresses these review comments:', ...answered.flatMap((line) => renderBullet(line, style, '    '))];
}

/** An agent's calls that the watcher refused, the most frequent named. */
function renderBlocked({ agent, blocked, top }: BlockedCalls, style: Style): readonly string[] {
  const head = `${toPrintableLine(agent)}: ${formatCount(blocked, 'call')} blocked`;
  return [
    ...wrapText(head, style.width, '  ').map(style.yellow),
    ...top.flatMap((call) => renderBullet(toPrintableLine(call), style, '    ')),
  ];
}

function renderWarnings({ changeset, doubts = [] }: ChangesetView, style: Style): readonly string[] {
  const warnings = [
    ...describeIncompleteChangeset(changeset).map(toPrintableLine),
    ...(hasFailedDiagnostic(changeset) ? ['Diagnostics fail on the merged tree: approving needs a reason.'] : []),
    ...doubts.map(renderEvidenceDoubt),
  ];
  return warnings.flatMap((text) => wrapText(`warning: ${text}`, style.width, '  ')).map(style.yellow);
}
