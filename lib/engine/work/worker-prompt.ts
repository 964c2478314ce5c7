import { listWorkToBuildOn } from '../../core/schedule/work-to-build-on.ts';
import type { AgentPolicy } from '../../domain/agent-policy.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import { type ObjectId, taskBranch } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { PromptData, Prompts } from '../../domain/ports/prompt-port.ts';
import type { BuiltOn, Task } from '../../domain/state/task-schema.ts';
import { renderAgentPrompt } from '../agents/start-agent-for-job.ts';
import { selectSecretFreeNotes } from '../blackboard/worker-notes.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import type { SessionView } from '../record-changes.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { areCommitsHere, readBaseTip } from '../start-point.ts';

interface WorkerStart {
  readonly policy: AgentPolicy;
  /** Commit its work is compared with. */
  readonly base: ObjectId;
  /** An earlier attempt's work is there already. */
  readonly isKept: boolean;
  readonly builtOn: readonly Pick<BuiltOn[number], 'task'>[];
}

/** Data of a worker's prompt. */
export async function makeWorkerPromptData(
  context: WithGit<GitCommits & GitDiffs>,
  view: Pick<SessionView, 'tasks' | 'snapshot'>,
  task: Task,
  { policy, base, isKept, builtOn }: WorkerStart,
): Promise<PromptData> {
  return {
    role: 'worker',
    task,
    policy,
    isKept,
    earlier: await earlierChange(context, task, base),
    left: selectSecretFreeNotes(task, view),
    below: builtOn.flatMap((one) => view.tasks.find(({ id }) => id === one.task) ?? []),
  };
}

/**
 * Renders the prompt of a task's worker as it would be now; for a task that runs or ran, as it was, but with later
 * entries of its history. Starts and records nothing. Throws FlameErrors `bad-template`, `no-base-branch`.
 */
export async function previewWorkerPrompt(
  context: Pick<RunContext, 'adapter' | 'config' | 'prompts'> & WithGit<GitCommits & GitDiffs & GitFiles>,
  view: Pick<SessionView, 'session' | 'tasks' | 'snapshot'>,
  task: Task,
): Promise<Prompts> {
  const base = task.start_commit ?? (await readBaseTip(context, view.session));
  const policy = await compileWorkerPolicy(context, {
    ...(task.agent_id === null ? {} : { agentId: task.agent_id }),
    worktree: task.worktree ?? '/',
    fileLocks: task.file_locks,
    start: base,
  });
  const builtOn = task.built_on ?? listWorkToBuildOn(task, view.tasks, context.config.concurrency.overlap);
  const data = await makeWorkerPromptData(context, view, task, {
    policy,
    base,
    builtOn,
    isKept: task.kept !== undefined,
  });
  return renderAgentPrompt(context, {
    adapter: findRoleAdapter(context.config, 'worker', task),
    data,
    from: base,
  });
}

/** Bytes of an earlier attempt's diff that the next one is shown; the rest is cut with a mark. */
const maxBytes = 40_000;

/** Changes of the latest attempt that was sent back, as a diff; '' where there was none. */
async function earlierChange({ git }: WithGit<GitCommits & GitDiffs>, task: Task, start: ObjectId): Promise<string> {
  if (task.history.length === 0) return '';
  // Work below it was others', and may have been refused since.
  const own = task.history.findLast(({ work }) => work !== undefined)?.work;
  if (own !== undefined && (await areCommitsHere(git, [own.commit, own.start])))
    return (await git.isAncestor(own.commit, start)) ? '' : git.diffText(own.start, own.commit, { maxBytes });
  const tip = task.commit ?? (await git.resolveCommit(taskBranch(task.session, task.id)));
  if (tip === null || (await git.isAncestor(tip, start))) return '';
  const from = await git.mergeBase(start, tip);
  return from === null ? '' : git.diffText(from, tip, { maxBytes });
}
