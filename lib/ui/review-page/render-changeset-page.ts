import type { FlameError } from '../../domain/flame-error.ts';
import type { Excluding, OnTop } from '../../domain/ports/changeset-question.ts';
import type { SinceSeen } from '../../domain/state/changeset.ts';
import { isRed } from '../../domain/state/changeset-facts.ts';
import type { Patch } from '../../domain/state/patch.ts';
import type { Task } from '../../domain/state/task.ts';
import type { DiagnosticRun, Verdict } from '../../domain/state/verdict.ts';
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatSpend,
  formatTime,
} from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { fillTemplate } from '../page/page-template.ts';
import {
  renderAnswered,
  renderEvidenceDoubt,
  renderExcluding,
  renderOnTop,
} from '../render/changeset-lines.ts';
import { type AttemptCells, attemptCells } from '../render/render-attempts.ts';
import {
  describeBase,
  describeChange,
  describeCommentFate,
  describeCommits,
  describeSeen,
  isAnswered,
} from '../render/render-since.ts';
import { visibleDiffLine } from '../text/visible-text.ts';
import type { AuditedRun, ChangesetFacts } from './page-facts.ts';
import { viewFiles } from './view-files.ts';

/** A changeset with everything known of it; its files by name, their lines come when they are looked at. */
export function renderChangesetPage(
  facts: ChangesetFacts,
  patch: Patch | FlameError,
  {
    onTop = [],
    excluding = [],
    listsFiles = false,
    since = null,
    isSince = false,
    lines = noLines,
  }: ChangesetLook = {},
): string {
  const { changeset, tasks, runs } = facts;
  const files = 'files' in patch ? patch.files : [];
  return fillTemplate('review-changeset', {
    ...helpers,
    changeset,
    red: isRed(changeset),
    tasks: tasks.map((task) => describeTask(task, facts)),
    summary: summarize(facts),
    runs,
    spend: sumSpend(runs),
    doubts: facts.doubts.map(renderEvidenceDoubt),
    answered: renderAnswered(changeset, tasks),
    onTop: renderOnTop(onTop),
    excluding: renderExcluding(excluding),
    blocked: runs.flatMap(({ id, audit }) => audit.top.map((call) => ({ agent: id, call }))),
    calls: {
      allowed: sum(runs, ({ audit }) => audit.allowed),
      blocked: sum(runs, ({ audit }) => audit.blocked),
    },
    files: 'files' in patch ? viewFiles(patch) : [],
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

interface ChangesetLook {
  readonly onTop?: readonly OnTop[];
  readonly excluding?: readonly Excluding[];
  readonly listsFiles?: boolean;
  /** Changes since the person saw it last. */
  readonly since?: SinceSeen | null;
  /** The files are those of that difference. */
  readonly isSince?: boolean;
  /** Lines that come along, as HTML, by the index of their file. */
  readonly lines?: ReadonlyMap<number, string>;
}

const noLines: ReadonlyMap<number, string> = new Map();

function describeSince(since: SinceSeen): unknown {
  return {
    head: `${describeSeen(since.seen)}: ${describeChange(since)}`,
    base: describeBase(since),
    commits: describeCommits(since.commits),
    comments: since.comments.map((one) => ({
      where: describeCommentFate(one),
      isAnswered: isAnswered(one.fate),
      text: one.comment.text,
      answer: one.answer.map((line) => ({
        kind: line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : '',
        text: visibleDiffLine(line),
      })),
    })),
  };
}

/** The evidence in a line, for where it is folded. */
function summarize({ changeset, tasks, verdicts, runs }: ChangesetFacts): string {
  const passed = tasks.filter(({ id, commit }) =>
    verdicts.some((one) => one.task === id && one.commit === commit && one.status === 'pass'),
  ).length;
  const failing = changeset.diagnostics.filter(({ exit_code }) => exit_code !== 0).length;
  const blocked = sum(runs, ({ audit }) => audit.blocked);
  return [
    `${passed} of ${formatCount(tasks.length, 'task')} passed`,
    ...(changeset.diagnostics.length === 0
      ? []
      : [
          failing === 0
            ? 'diagnostics ok'
            : `${failing} of ${formatCount(changeset.diagnostics.length, 'diagnostic')} fail`,
        ]),
    ...(blocked === 0 ? [] : [`${formatCount(blocked, 'call')} blocked`]),
  ].join(' · ');
}

interface TaskView {
  readonly task: Task;
  readonly verdict: Verdict | null;
  readonly earlier: Task['history'];
  readonly tries: readonly AttemptCells[];
}

function describeTask(task: Task, { verdicts }: ChangesetFacts): TaskView {
  const verdict = verdicts.filter(({ task: id, commit }) => id === task.id && commit === task.commit).at(-1);
  return { task, verdict: verdict ?? null, earlier: task.history.slice(0, -1), tries: attemptCells(task) };
}

function sum<Item>(items: readonly Item[], pick: (item: Item) => number): number {
  return items.reduce((total, item) => total + pick(item), 0);
}

function sumSpend(runs: readonly AuditedRun[]): { readonly cost_usd: number; readonly tokens: number } {
  return { cost_usd: sum(runs, (run) => run.cost_usd), tokens: sum(runs, (run) => run.tokens) };
}

/**
 * A browser asks of each element that it leaves out whether it came into view, at each change: of bunches of files
 * far away it asks once.
 */
const filesInBunch = 100;

const helpers = {
  filesInBunch,
  diagnostics: (runs: readonly DiagnosticRun[]): string =>
    fillTemplate('review-diagnostics', { ...helpers, runs }),
  formatCount,
  formatNumber,
  formatSpend,
  formatDuration,
  formatTime,
  shortId,
  howItEnded: ({ exit_code: code, timed_out: isLate }: DiagnosticRun): string =>
    code === 0 ? 'ok' : isLate ? 'timed out' : code === null ? 'was killed' : `ended with ${code}`,
};
