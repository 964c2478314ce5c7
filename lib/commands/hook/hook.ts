import type { AgentPolicy, Violation } from '../../domain/agent-policy.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { compileWorkerPolicy } from '../../engine/post-check/worker-policy.ts';
import { type PendingCommit, readPendingCommit } from '../../git/setup/pending-commit.ts';
import { checkFilesOneByOne } from '../../policy/check-branch.ts';
import { judgeCommitMessage } from '../../policy/check-commit.ts';
import { findUnsentUnreadableNotes } from '../../store/sync/find-unreadable-notes.ts';
import { damagedStateNotSent } from '../../store/sync/sync-errors.ts';
import { renderError } from '../../ui/render/render-error.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findGitContextHere, type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { readConfig } from '../context/read-config.ts';

/** Makes the hook refuse the commit; if this command stops for another reason, the commit goes on. */
const refusedCode = 3;

/**
 * `git flame hook`: what an installed git hook asks about a commit of a task, or of anyone under apply_to: all; and
 * whether the state may go along with a push.
 */
export function run(args: CommandArgs<'hook'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    if (args.subcommand === 'pre-push') return judgeState(args.positionals[0] ?? '', io, reading);
    const { task, found } = await judgePendingCommit(args, io, reading);
    if (found.length === 0) return 0;
    io.stderr.write(`${renderError(refusal(task, found), reading.output.errorStyle)}\n`);
    return refusedCode;
  });
}

/** Damaged state stays here, as with `git flame sync`; the person's own push is another matter. */
async function judgeState(remote: string, io: Io, { git, output }: ReadContext): Promise<number> {
  const { commonDir, objectFormat } = git.repository;
  const context = findGitContextHere(git, io);
  const damage = await findUnsentUnreadableNotes({ context, commonDir, objectFormat, remote, isDry: true });
  if (damage.length === 0) return 0;
  io.stderr.write(`${renderError(damagedStateNotSent(remote, damage), output.errorStyle)}\n`);
  return refusedCode;
}

function refusal(task: Task | null, found: readonly Violation[]): FlameError {
  const rules = found.length === 1 ? 'a rule' : `${found.length} rules`;
  const whose = task === null ? 'this repository' : `task ${task.id}`;
  return new FlameError({
    kind: 'refused',
    code: 'commit-refused',
    message: `This commit breaks ${rules} of ${whose}.`,
    details: [
      ...found.map(({ details, rule }) => `${details} [${rule}]`),
      ...(task === null ? [] : ['This is early feedback: the same rules apply when the work is submitted.']),
    ],
    hints: found.flatMap(({ where, rule }) => mend(where, rule)).slice(0, 3),
  });
}

function mend(where: string, rule: string): readonly string[] {
  return rule === 'commit-message' ? [] : [`git restore --staged -- ${shellQuote(where)}`];
}

interface JudgedCommit {
  /** The task whose rules apply; null: those of the repository. */
  readonly task: Task | null;
  readonly found: readonly Violation[];
}

const nothing: JudgedCommit = { task: null, found: [] };

/** Judges the commit a git hook was called for, by the rules of its task where it is one's. */
async function judgePendingCommit(
  args: CommandArgs<'hook'>,
  io: Io,
  { git, store, configFile }: ReadContext,
): Promise<JudgedCommit> {
  const { workTree, mainWorkTree } = git.repository;
  if (workTree === null) return nothing;
  const commit = await readPendingCommit(io.env, git.repository, workTree);
  const { config } = await readConfig(mainWorkTree ?? workTree, configFile);
  const isTaskBranch = commit.branch?.startsWith('blueflame/') === true;
  const isDetached = commit.branch === null;
  // Most commits are no task's: the state needn't be read for them.
  const task = isTaskBranch || isDetached ? findTask(await store.snapshot(), commit.branch, workTree) : null;
  const [file] = args.positionals;
  if (args.subcommand === 'pre-commit') {
    if (task === null) return nothing;
    const { role, file_locks: fileLocks, start_commit: start } = task;
    const policy = await compileWorkerPolicy({ config, git }, { role, worktree: workTree, fileLocks, start });
    return { task, found: await judgeStaged(commit, policy) };
  }
  const isJudged = task !== null || config.validation.commit_format.apply_to === 'all';
  // git writes the message of a merge.
  if (!isJudged || commit.isMerge || file === undefined) return nothing;
  return { task, found: judgeMessage(await commit.message(file), config, task) };
}

/** By its branch, else by its worktree, whose HEAD is detached. */
function findTask(snapshot: Snapshot, branch: string | null, workTree: string): Task | null {
  const tasks = [...snapshot.sessions].reverse().flatMap(({ id }) => snapshot.tasksOf(id));
  const isIts = (task: Task): boolean =>
    branch === null ? task.worktree === workTree : branch === `blueflame/${task.session}/${task.id}`;
  return tasks.find(isIts) ?? null;
}

async function judgeStaged(commit: PendingCommit, policy: AgentPolicy): Promise<readonly Violation[]> {
  const files = await commit.files();
  const readable = files.filter(({ isBinary, status }) => !isBinary && status !== 'deleted');
  const texts = await commit.texts(readable);
  return [...checkFilesOneByOne({ policy, files, readText: (path) => texts.get(path) ?? null })].flat();
}

/** Commits that a rebase is to melt into others are no finished ones. */
const unfinished = /^(?:fixup|squash|amend)! /;

function judgeMessage(message: string, config: Config, task: Task | null): readonly Violation[] {
  const { pattern, example } = config.validation.commit_format;
  if (task === null && (pattern === '' || unfinished.test(message))) return [];
  const objection = judgeCommitMessage({ commit_pattern: pattern, commit_example: example }, message);
  return objection === null ? [] : [{ ...objection, where: 'message' }];
}
