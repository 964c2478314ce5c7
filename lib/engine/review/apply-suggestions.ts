import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import { followLinesThroughHunks } from '../../core/changesets/versions-seen-before.ts';
import { amendWork } from '../../core/task/take-back-task.ts';
import { branchMovedError } from '../../domain/concurrency-errors.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, type SessionId, taskBranch } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import { type LineRange, parseSuggestedLines, renderLineRange } from '../../domain/state/line-range.ts';
import type { DoneTask } from '../../domain/state/task-schema.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findViolationsInCommits } from '../post-check/judge-commits.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import { decideAndRecord, requireTaskInView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';

/**
 * Puts what a person suggested on top of the work of a changeset's tasks, as commits of their own, judged as all work
 * is. The changeset is void by that: its tasks are checked again, and it is built again. All of it or nothing; throws
 * FlameErrors `no-suggestion`, `suggestion-moved`, `suggestion-refused`.
 */
export async function commitSuggestions(
  context: RunContext,
  session: SessionId,
  changeset: Changeset,
  comments: readonly LineComment[],
): Promise<void> {
  const view = await viewSession(context, session);
  const tasks = changeset.tasks.map((id) => requireTaskInView(view, id)).filter((task) => task.status === 'done');
  const byTask = new Map<DoneTask, Edit[]>();
  for (const comment of comments) {
    const edit = await placeEdit(context, changeset, tasks, comment);
    byTask.set(edit.task, [...(byTask.get(edit.task) ?? []), edit]);
  }
  if (byTask.size === 0) throw noSuggestion(changeset);
  const made: Made[] = [];
  for (const [task, edits] of byTask) made.push(await commitEdits(context, changeset, task, edits));
  await publish(context, session, made);
  const reason = `${formatCount(comments.length, 'suggestion')} of ${context.gates.person} applied`;
  context.events.emit({
    event: 'changeset-decided',
    changeset: changeset.id,
    decision: 'built again',
    reason,
  });
}

/** Lines of a file of a task's work that are replaced. */
interface Edit {
  readonly task: DoneTask;
  readonly path: string;
  /** In the task's work, the last one counted in. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Finds the commented lines in the work of the task that changed the file last. */
async function placeEdit(
  { git }: Pick<RunContext, 'git'>,
  changeset: Changeset,
  tasks: readonly DoneTask[],
  comment: LineComment,
): Promise<Edit> {
  const { path, side, line, to = line, text } = comment;
  const lines = parseSuggestedLines(text);
  if (lines === null || side === 'old') throw noSuggestion(changeset);
  let task: DoneTask | undefined;
  for (const one of tasks) {
    const changed = await git.changedFiles(one.start_commit, one.commit);
    if (changed.some((file) => file.path === path && file.status !== 'deleted')) task = one;
  }
  if (task === undefined) throw moved(changeset, comment, `no task of ${changeset.group} changed ${path}`);
  const { files } = await git.readPatch(changeset.commit, task.commit, {
    ignoresSpace: false,
    paths: [path],
  });
  const followed = followLinesThroughHunks(files.find((file) => file.path === path)?.hunks() ?? [], {
    line,
    to,
  });
  if (followed.kind !== 'stands') throw moved(changeset, comment, `${task.id} has different lines there`);
  const there = { from: followed.line, to: followed.line + to - line };
  const [was, is] = await Promise.all([
    readLinesOfCommit({ git }, changeset.commit, path, { line, to }),
    readLinesOfCommit({ git }, task.commit, path, { line: there.from, to: there.to }),
  ]);
  if (was === null || was.join('\n') !== is?.join('\n'))
    throw moved(changeset, comment, `${task.id} has different lines there`);
  return { task, path, ...there, lines };
}

/** Some lines of a file of a commit, without the ends that other systems give them; null: they are not there. */
export async function readLinesOfCommit(
  { git }: Pick<RunContext, 'git'>,
  commit: ObjectId,
  path: string,
  { line, to = line }: LineRange,
): Promise<readonly string[] | null> {
  const text = (await git.readTexts(commit, [path])).get(path);
  const lines = text === undefined || text === '' ? [] : text.replace(/\n$/, '').split('\n');
  if (line < 1 || to < line || to > lines.length) return null;
  return lines.slice(line - 1, to).map((one) => one.replace(/\r$/, ''));
}

interface Made {
  readonly task: DoneTask;
  readonly commit: ObjectId;
  readonly message: string;
}

async function commitEdits(
  context: RunContext,
  changeset: Changeset,
  task: DoneTask,
  edits: readonly Edit[],
): Promise<Made> {
  const { git } = context;
  const paths = [...new Set(edits.map(({ path }) => path))];
  const texts = await git.readTexts(task.commit, paths);
  const edited = new Map(
    paths.map((path) => {
      const own = edits.filter((edit) => edit.path === path);
      return [path, replaceLines(texts.get(path) ?? '', own, () => overlapping(changeset, path))] as const;
    }),
  );
  const message = `${formatCount(edits.length, 'suggestion')} of ${context.gates.person} applied to ${paths.join(', ')}`;
  const tree = await git.replaceTexts(await git.readCommit(task.commit), edited);
  const commit = await git.writeSignedCommit({
    tree,
    parents: [task.commit],
    message: await messageFor(context, task, paths),
  });
  const policy = await compileWorkerPolicy(context, { fileLocks: task.file_locks, start: task.commit });
  const violations = await findViolationsInCommits(context, {
    start: task.commit,
    tip: commit,
    policy,
    ours: [],
    signer: null,
  });
  if (violations.length > 0)
    throw new FlameError({
      kind: 'refused',
      code: 'suggestion-refused',
      message: `What was suggested for ${task.id} breaks its rules, so nothing was applied.`,
      details: violations.map(({ rule, where, details }) => `${rule}: ${where}: ${details}`),
      hints: [`git flame show ${shellQuote(changeset.group)} --diff`],
    });
  return { task, commit, message };
}

/** In the form of the work it goes on with, where commits have one. */
async function messageFor({ config, git }: RunContext, task: DoneTask, paths: readonly string[]): Promise<string> {
  const plain = `Apply a suggestion to ${paths.join(', ')}`;
  if (config.validation.commit_format.pattern === '') return plain;
  return (await git.readCommit(task.commit)).message.split('\n')[0] ?? plain;
}

/** From the last edit up, so that the lines of the others stay where they are. */
function replaceLines(text: string, edits: readonly Edit[], onOverlap: () => FlameError): string {
  const lines = text.split('\n');
  const end = text.includes('\r\n') ? '\r' : '';
  let before = Number.POSITIVE_INFINITY;
  for (const { from, to, lines: other } of [...edits].sort((a, b) => b.from - a.from)) {
    if (to >= before) throw onOverlap();
    before = from;
    const isLast = to === lines.length;
    lines.splice(
      from - 1,
      to - from + 1,
      ...other.map((line, index) => (isLast && index === other.length - 1 ? line : `${line}${end}`)),
    );
  }
  return lines.join('\n');
}

async function publish(context: RunContext, session: SessionId, made: readonly Made[]): Promise<void> {
  const at = timestamp(context);
  const refs = await Promise.all(
    made.map(async ({ task, commit }) => {
      const ref = taskBranch(session, task.id);
      return { ref, old: await context.git.resolveCommit(ref), new: commit };
    }),
  );
  const done = await decideAndRecord(context, session, (view) => {
    if (made.some(({ task }) => requireTaskInView(view, task.id).rev !== task.rev)) return null;
    const steps = made.map(({ task, commit, message: amendment }) =>
      amendWork(requireTaskInView(view, task.id), { commit, amendment, at }),
    );
    const accepted = steps.map((step) => toAcceptedCommitsDecision(step.task, context.configDigest));
    return { steps, refs, accepted };
  });
  if (done.kind === 'done') return;
  const [first] = refs;
  throw branchMovedError(first?.ref.slice(11) ?? '', 'while suggestions were applied', ['git flame review']);
}

function noSuggestion({ group }: Changeset): FlameError {
  return refusedError(
    'no-suggestion',
    `Nothing is suggested for changeset ${group}: a suggestion is a block of lines on its new side.`,
    [`git flame show ${shellQuote(group)} --diff`],
  );
}

function moved({ group }: Changeset, comment: LineComment, why: string): FlameError {
  return refusedError(
    'suggestion-moved',
    `The suggestion on ${comment.path}:${renderLineRange(comment)} can't be applied: ${why}.`,
    [`git flame review --changeset ${shellQuote(group)} --reject REASON`],
  );
}

function overlapping(changeset: Changeset, path: string): FlameError {
  return refusedError(
    'suggestions-overlap',
    `Two suggestions change the same lines of ${path}. Apply only one of them.`,
    [`git flame show ${shellQuote(changeset.group)} --diff`],
  );
}
