import type { ConflictingChangeset, EvidenceDoubt, StackedWorkOutcome } from '../../domain/ports/changeset-question.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { renderLineRange } from '../../domain/state/line-range.ts';
import { remarkHeadings } from '../../domain/state/pull-request-news.ts';
import type { HistoryEntry, Task } from '../../domain/state/task-schema.ts';
import { cutText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';

/** A task of a changeset in a line: title, id, verdict. */
export function renderMemberHead({ id, title, word }: Readonly<Record<'id' | 'title' | 'word', string>>): string {
  return `${toPrintableLine(title)} · ${id} · ${word}`;
}

/** Describes what sending it back means for work built on it: a sentence for all of it, then one for each kind. */
export function renderRejectionEffects(onTop: readonly StackedWorkOutcome[]): readonly string[] {
  if (onTop.length === 0) return [];
  const of = (outcome: StackedWorkOutcome['outcome']): readonly StackedWorkOutcome[] =>
    onTop.filter((one) => one.outcome === outcome);
  const [standing, conflicting, waiting, again] = [of('stands'), of('conflicts'), of('waits'), of('again')];
  const isOne = (list: readonly StackedWorkOutcome[]): boolean => list.length === 1;
  // All of one kind are named once.
  const whose = (list: readonly StackedWorkOutcome[]): string =>
    list.length === onTop.length && !isOne(list) ? 'They' : `${names(list)}:`;
  return [
    `Sending this back also affects ${names(onTop)}, stacked on it.`,
    ...(standing.length === 0
      ? []
      : [
          `${whose(standing)} ${isOne(standing) ? 'no new work; its change is' : 'need no new work; their changes are'} rebased onto what remains, checked and shown again.`,
        ]),
    ...conflicting.map(
      (one) =>
        `${names([one])}: conflicts in ${one.paths.map(toPrintableLine).join(', ')} and goes back to its worker.`,
    ),
    ...(waiting.length === 0
      ? []
      : [
          `${whose(waiting)} ${isOne(waiting) ? 'depends' : 'depend'} on it, so ${isOne(waiting) ? 'its work is' : 'their works are'} kept until there is new work below, then rebased onto that and checked again; only what conflicts goes back to a worker.`,
        ]),
    ...(again.length === 0
      ? []
      : [
          `${whose(again)} ${isOne(again) ? 'depends' : 'depend'} on it and ${isOne(again) ? 'is' : 'are'} sent back too.`,
        ]),
  ];
}

/** By group, each once; its tasks where it has several of them. */
function names(list: readonly StackedWorkOutcome[]): string {
  const groups = new Map<string, string[]>();
  for (const { group, task } of list) groups.set(group, [...(groups.get(group) ?? []), task]);
  return [...groups]
    .map(([group, tasks]) => toPrintableLine(tasks.length > 1 ? `${group} (${tasks.join(', ')})` : group))
    .join(', ');
}

const mostShown = 20;
const widest = 300;

/**
 * Renders the remarks on its pull request that a changeset answers, a bounded line each: those of the latest round that
 * its tasks were given before it was built.
 */
export function renderAnsweredRemarks(changeset: Changeset, tasks: readonly Task[]): readonly string[] {
  return tasks.flatMap((task) => {
    const entry = before(changeset, task).findLast(({ on_request: isRound }) => isRound === true);
    if (entry === undefined) return [];
    const all = notesOf(entry).map((line) => cutText(`${task.id}: ${line}`, widest));
    const left = all.length - mostShown;
    return left <= 0 ? all : [...all.slice(0, mostShown), `${task.id}: ${left} more: git flame show ${task.id}`];
  });
}

/** The history before it was decided: it answers no later remarks. */
function before({ state, works = [] }: Changeset, { history }: Task): readonly HistoryEntry[] {
  const own = history.findIndex(({ work }) => work !== undefined && works.includes(work.commit));
  return state === 'waiting' || own === -1 ? history : history.slice(0, own);
}

function notesOf({ notes, comments = [] }: HistoryEntry): readonly string[] {
  const paragraphs = notes.split(/\n{2,}/).filter((text) => !remarkHeadings.includes(text));
  return [
    ...comments.map((comment) => `${comment.path}:${renderLineRange(comment)} ${comment.text}`),
    ...paragraphs,
  ].map((text) => toPrintableLine(text.replace(/\s+/g, ' ').trim()));
}

/** Renders the doubt about a task's evidence, with its reasons, as one line. */
export function renderEvidenceDoubt({ task, reasons }: EvidenceDoubt): string {
  return `${task} needs a manual check, its evidence differs between runs: ${reasons.map(toPrintableLine).join('; ')}`;
}

const mostPaths = 3;

/** Which changesets can't land together with the one that is asked about, a sentence each. */
export function renderExcludingChangesets(excluding: readonly ConflictingChangeset[]): readonly string[] {
  return excluding.map(({ group, isApproved, paths }) => {
    const rest = paths.length - mostPaths;
    const where = paths.slice(0, mostPaths).map(toPrintableLine).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
    const name = toPrintableLine(group);
    const what = isApproved
      ? `It conflicts with ${name}, which is already approved, in ${where}`
      : `It conflicts with ${name} in ${where}`;
    return `${what}: only one of the two can land as it is now; the other goes back to its worker.`;
  });
}
