import type { Config } from '../../domain/config/config.ts';
import type { AgentPolicy, Violation } from '../../domain/policy.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Task } from '../../domain/state/task.ts';
import { workerPolicy } from '../../engine/judge/worker-policy.ts';
import { type PendingCommit, readPendingCommit } from '../../git/setup/hooks-commit.ts';
import { checkFiles } from '../../policy/check-branch.ts';
import { judgeCommitMessage } from '../../policy/check-commit.ts';
import { readConfig } from '../open/read-config.ts';
import type { Reading } from '../open/read-state.ts';

interface JudgedCommit {
  /** The task whose rules apply; null: those of the repository. */
  readonly task: Task | null;
  readonly found: readonly Violation[];
}

const nothing: JudgedCommit = { task: null, found: [] };

/** Judges the commit a git hook was called for, by the rules of its task where it is one's. */
export async function judgePendingCommit(
  args: CommandArgs<'hook'>,
  io: Io,
  { git, store, configFile }: Reading,
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
    const policy = await workerPolicy({ config, git }, { role, worktree: workTree, fileLocks, start });
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
  return [...checkFiles({ policy, files, readText: (path) => texts.get(path) ?? null })].flat();
}

/** Commits that a rebase is to melt into others are no finished ones. */
const unfinished = /^(?:fixup|squash|amend)! /;

function judgeMessage(message: string, config: Config, task: Task | null): readonly Violation[] {
  const { pattern, example } = config.validation.commit_format;
  if (task === null && (pattern === '' || unfinished.test(message))) return [];
  const objection = judgeCommitMessage({ commit_pattern: pattern, commit_example: example }, message);
  return objection === null ? [] : [{ ...objection, where: 'message' }];
}
