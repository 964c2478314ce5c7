import type { FlameError } from '../../domain/flame-error.ts';
import type { ConflictingChangeset, StackedWorkOutcome } from '../../domain/ports/changeset-question.ts';
import type { ChangesSinceSeen } from '../../domain/state/changeset.ts';
import { describeIncompleteChangeset, findVerdictOf, separateSharedNotes } from '../../domain/state/changeset-facts.ts';
import type { Patch } from '../../domain/state/patch.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { DiagnosticRun, Verdict } from '../../domain/state/verdict.ts';
import { formatCount, formatDuration, formatNumber, formatSpend, formatTime } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { escapeHtml, makePrintable } from '../page/escape-html.ts';
import { fillTemplate } from '../page/page-template.ts';
import {
  renderAnsweredRemarks,
  renderEvidenceDoubt,
  renderExcludingChangesets,
  renderRejectionEffects,
} from '../render/changeset-lines.ts';
import { type AttemptTableRow, buildAttemptTableRows } from '../render/render-attempts.ts';
import {
  describeBaseChanges,
  describeChangeSize,
  describeCommentFate,
  describeCommitPairs,
  describeSeen,
  isCommentAnswered,
} from '../render/render-changes-since-seen.ts';
import { toPrintableDiffLine } from '../text/printable-text.ts';
import type { ChangedFileView } from './changed-file-views.ts';
import { type ChapterView, listSecondLooks } from './chapter-views.ts';
import type { AuditedAgentRun, ReviewedChangeset } from './page-facts.ts';

/** A changeset with everything known of it; its files by name, their lines come when they are looked at. */
export function renderChangesetPage(
  facts: ReviewedChangeset,
  patch: Patch | FlameError,
  {
    onTop = [],
    excluding = [],
    listsFiles = false,
    since = null,
    isSince = false,
    lines = noLines,
    chapters = [],
  }: ChangesetLook = {},
): string {
  const { changeset, tasks, runs } = facts;
  const files = 'files' in patch ? patch.files : [];
  const looks = listSecondLooks(chapters);
  const linkTo = ({ index, path }: ChangedFileView): string =>
    listsFiles
      ? `#${changeset.id}-${index}`
      : `#${[changeset.id, ...makePrintable(path).split('/')].map(encodeURIComponent).join('/')}`;
  const links = (marked: readonly ChangedFileView[]): string =>
    marked
      .map(
        (file) =>
          `<a href="${escapeHtml(linkTo(file))}" data-path="${escapeHtml(file.path)}">${escapeHtml(file.path)}</a>`,
      )
      .join(', ');
  return fillTemplate('review-changeset', {
    ...helpers,
    linkTo,
    look: (reasons: readonly unknown[]) => fillTemplate('review-looks', { ...helpers, reasons, links }),
    changeset,
    // It leads nowhere on another machine.
    tryCommand: listsFiles ? null : facts.tryCommand,
    missing: describeIncompleteChangeset(changeset),
    failing: changeset.diagnostics.filter(isFailing),
    passing: changeset.diagnostics.filter((run) => !isFailing(run)),
    ...separateNotes(tasks.map((task) => describeTask(task, facts))),
    summary: summarize(facts),
    runs,
    spend: sumSpend(runs),
    doubts: facts.doubts.map(renderEvidenceDoubt),
    answered: renderAnsweredRemarks(changeset, tasks),
    onTop: renderRejectionEffects(onTop),
    excluding: renderExcludingChangesets(excluding),
    blocked: runs.flatMap(({ id, audit }) => audit.top.map((call) => ({ agent: id, call }))),
    calls: {
      allowed: sum(runs, ({ audit }) => audit.allowed),
      blocked: sum(runs, ({ audit }) => audit.blocked),
    },
    chapters,
    looks,
    reasonCount: sum(looks, ({ first, others }) => first.length + others.length),
    fileCount: files.length,
    lines,
    total: {
      insertions: sum(files, (file) => file.insertions),
      deletions: sum(files, (file) => file.deletions),
    },
    listsFiles,
    since: since === null ? null : describeSince(since),
    isSince,
    refusal: 'files' in patch ? null : patch.message,
  });
}

/** How it is shown, and what is known of it beside its own facts. */
export interface ChangesetLook {
  readonly onTop?: readonly StackedWorkOutcome[];
  readonly excluding?: readonly ConflictingChangeset[];
  readonly listsFiles?: boolean;
  /** Changes since the person saw it last. */
  readonly since?: ChangesSinceSeen | null;
  /** The files are those of that difference. */
  readonly isSince?: boolean;
  /** Lines that come along, as HTML, by the index of their file. */
  readonly lines?: ReadonlyMap<number, string>;
  /** Its files, in the order to read them. */
  readonly chapters?: readonly ChapterView[];
}

const noLines: ReadonlyMap<number, string> = new Map();

function describeSince(since: ChangesSinceSeen): unknown {
  return {
    head: `${describeSeen(since.seen)}: ${describeChangeSize(since)}`,
    base: describeBaseChanges(since),
    commits: describeCommitPairs(since.commits),
    comments: since.comments.map((one) => ({
      where: describeCommentFate(one),
      isAnswered: isCommentAnswered(one.fate),
      text: one.comment.text,
      answer: one.answer.map((line) => ({
        kind: line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : '',
        text: toPrintableDiffLine(line),
      })),
    })),
  };
}

function isFailing({ exit_code: code }: DiagnosticRun): boolean {
  return code !== 0;
}

/** A fact of the evidence in a few words: '' where it is neither good nor bad. */
interface EvidenceFact {
  readonly text: string;
  readonly look: 'ok' | 'bad' | '';
}

/** The evidence in a line, for where it is folded. */
function summarize({ changeset, tasks, verdicts, runs }: ReviewedChangeset): readonly EvidenceFact[] {
  const passed = tasks.filter(({ id, commit }) =>
    verdicts.some((one) => one.task === id && one.commit === commit && one.status === 'pass'),
  ).length;
  const failing = changeset.diagnostics.filter(isFailing).length;
  const blocked = sum(runs, ({ audit }) => audit.blocked);
  const red = `${formatCount(failing, 'diagnostic')} ${failing === 1 ? 'fails' : 'fail'}`;
  return [
    { text: `${passed} of ${formatCount(tasks.length, 'task')} passed`, look: passed === tasks.length ? 'ok' : 'bad' },
    ...(changeset.diagnostics.length === 0
      ? []
      : [failing === 0 ? ({ text: 'diagnostics ok', look: 'ok' } as const) : ({ text: red, look: 'bad' } as const)]),
    ...(blocked === 0 ? [] : [{ text: `${formatCount(blocked, 'call')} blocked`, look: '' } as const]),
  ];
}

function separateNotes(views: readonly TaskView[]): { readonly tasks: readonly TaskView[]; readonly notes: string } {
  const { shared, own } = separateSharedNotes(views);
  return { tasks: own, notes: shared === '' ? '' : `Each task: ${shared}` };
}

interface TaskView {
  /** Those of its verdict. */
  readonly notes: string;
  readonly task: Task;
  readonly verdict: Verdict | null;
  readonly earlier: Task['history'];
  readonly tries: readonly AttemptTableRow[];
}

function describeTask(task: Task, { verdicts }: ReviewedChangeset): TaskView {
  const verdict = findVerdictOf(task, verdicts);
  return {
    task,
    verdict: verdict ?? null,
    notes: verdict?.notes ?? '',
    earlier: task.history.slice(0, -1),
    tries: buildAttemptTableRows(task),
  };
}

function sum<Item>(items: readonly Item[], pick: (item: Item) => number): number {
  return items.reduce((total, item) => total + pick(item), 0);
}

function sumSpend(runs: readonly AuditedAgentRun[]): { readonly cost_usd: number; readonly tokens: number } {
  return { cost_usd: sum(runs, (run) => run.cost_usd), tokens: sum(runs, (run) => run.tokens) };
}

/**
 * A browser asks of each element that it leaves out whether it came into view, at each change: of bunches of files
 * far away it asks once.
 */
const filesInBunch = 100;

const helpers = {
  filesInBunch,
  nameSome: (files: readonly ChangedFileView[]): string => {
    const names = files.slice(0, 4).map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    return [
      ...names,
      ...(files.length > names.length ? [`${formatNumber(files.length - names.length)} more`] : []),
    ].join(', ');
  },
  sumOf: (files: readonly ChangedFileView[], which: 'insertions' | 'deletions'): number =>
    sum(files, (file) => file[which]),
  diagnostics: (runs: readonly DiagnosticRun[]): string => fillTemplate('review-diagnostics', { ...helpers, runs }),
  formatCount,
  formatNumber,
  formatSpend,
  formatDuration,
  formatTime,
  shortId,
  howItEnded: ({ exit_code: code, timed_out: isLate }: DiagnosticRun): string =>
    code === 0 ? 'ok' : isLate ? 'timed out' : code === null ? 'was killed' : `ended with ${code}`,
};
