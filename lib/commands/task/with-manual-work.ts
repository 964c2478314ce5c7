import { listUntrustedWorkToBuildOn } from '../../core/schedule/work-to-build-on.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { createConflictDetector } from '../../engine/conflict-detection/conflict-detector.ts';
import { personWorktreePath } from '../../engine/manual/worktree-of-person.ts';
import { viewSession } from '../../engine/record-changes.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { describePredictedConflict } from '../../ui/render/render-predicted-conflicts.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { selectConflictsOfTask } from '../context/waits-and-conflicts.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import { pickTask } from './pick-task.ts';

/** Opens the workshop of a command by hand. The command prints its own result: no event of a run is emitted. */
export function withManualWork(
  args: CommandArgs<'task'>,
  io: Io,
  work: (opened: CommandContext & { readonly context: RunContext }) => Promise<number>,
): Promise<number> {
  return withRunContext(args, io, (opened) =>
    work({ ...opened, context: { ...opened.context, events: { emit: () => undefined } } }),
  );
}

/** The task a command is about, see pickTask. */
export async function readTaskForCommand(args: CommandArgs<'task'>, opened: CommandContext): Promise<Task> {
  const { git, store, context, selected } = opened;
  const { repository } = git;
  const branch = repository.workTree === null ? null : (await git.head(repository.workTree)).branch;
  const snapshot = await store.snapshot();
  return pickTask(args, { snapshot, repository, branch, person: context.gates.person, selected });
}

/**
 * `--attempts` as a plan file says it: a number, or adapters with their models, `claude,codex:gpt-5.5`. What can't be one is
 * left for the plan's own checks to name.
 */
export function parseAttemptsOption(text: string): number | readonly object[] {
  if (/^\d+$/.test(text.trim())) return Number(text);
  return text.split(',').map((part) => {
    const [, adapter = '', model] = /^([^:]*)(?::(.*))?$/s.exec(part.trim()) ?? [];
    return model === undefined ? { adapter } : { adapter, model };
  });
}

/** The longest wait for a person, in milliseconds. */
const lookMs = 1_000;
const mostTrials = 20;

/** Says to who has just taken up a task which work it would stand on, had that not come from another clone. */
export async function warnOfForeignWork(
  { context, output }: { readonly context: RunContext; readonly output: Pick<Output, 'info' | 'hint'> },
  session: SessionId,
  task: Task,
): Promise<void> {
  if (context.config.concurrency.overlap === 'separate') return;
  const { received } = await viewSession(context, session);
  for (const { task: id, lock } of listUntrustedWorkToBuildOn(task, received)) {
    const on = lock === null ? '' : ` on ${toPrintableLine(lock)}`;
    output.info(`The worktree lacks the work of ${id}${on}, which came from another clone and doesn't count here yet.`);
    output.hint(`git flame show ${id} --diff`);
  }
}

/** Says to who has just taken up a task, or handed it in, what its work conflicts with by now. */
export async function reportConflicts(
  { context, output }: { readonly context: RunContext; readonly output: Pick<Output, 'info'> },
  session: SessionId,
  task: TaskId,
): Promise<void> {
  const view = await viewSession(context, session);
  const detector = createConflictDetector({
    ...context,
    worktreeOf: (one) => personWorktreePath(context, one),
  });
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(lookMs)]);
  const ahead = selectConflictsOfTask(await detector.look(view, { trials: mostTrials, signal }), task);
  for (const conflict of ahead?.found ?? []) output.info(`Ahead: ${describePredictedConflict(conflict)}.`);
}
