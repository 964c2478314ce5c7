import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import {
  dropByHand,
  type ManualReleaseOptions,
  type ManualReleaseResult,
  releaseByHand,
} from '../../engine/manual/release-by-hand.ts';
import { submitByHand } from '../../engine/manual/submit-by-hand.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { readTaskForCommand, reportConflicts, withManualWork } from './with-manual-work.ts';

/** `git flame task release [ID]`: a claim is given back, a failed task is tried again. */
export function runTaskRelease(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async (opened) => {
    const { context, git, output } = opened;
    const { id, session, status } = await readTaskForCommand(args, opened);
    if (args.globals.dryRun) return preview(output, 'release', id);
    const done = await releaseByHand(context, session, wishOf(args, io, id, 'released by hand'));
    output.json({ task: done.task, worktree: done.worktree, rescue: done.rescue });
    output.result(status === 'failed' ? `${id} is free again and gets another attempt.` : `${id} is free again.`);
    printKeptWork(output, done);
    if (status === 'failed' && !isSessionBusy(git.repository.commonDir, session))
      output.hint(args.globals.session === null ? 'git flame run' : `git flame run --session ${session}`);
    return 0;
  });
}

/** `git flame task drop [ID]`: the task will not be done any more. */
export function runTaskDrop(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async (opened) => {
    const { context, output } = opened;
    const { id, session } = await readTaskForCommand(args, opened);
    if (args.globals.dryRun) return preview(output, 'drop', id);
    requireTypedByPerson('Which tasks are given up', opened.git.repository, io);
    const done = await dropByHand(context, session, wishOf(args, io, id, 'dropped by hand'));
    output.json({ task: done.task, blocked: done.blocked, worktree: done.worktree, rescue: done.rescue });
    output.result(`${id} is dropped.`);
    if (done.blocked.length > 0) output.info(`These tasks need it and are blocked now: ${done.blocked.join(', ')}.`);
    printKeptWork(output, done);
    return 0;
  });
}

function wishOf(args: CommandArgs<'task'>, io: Io, task: string, reason: string): ManualReleaseOptions {
  return { task, reason: args.options.reason ?? reason, isForced: args.options.force, cwd: io.cwd };
}

function printKeptWork(output: Output, { worktree, rescue }: ManualReleaseResult): void {
  if (rescue !== null) output.info(`Its commits are kept: git flame rescue show ${rescue}`);
  if (worktree !== null) output.info(`The worktree stays: ${worktree}`);
}

function preview(output: Output, what: string, id: string): number {
  output.json({ task: id });
  output.result(`Would ${what} ${id}.`);
  return 0;
}

/** `git flame task submit [ID]`: hands in the commits of a claimed task; 1 when they break its rules. */
export function runTaskSubmit(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async (opened) => {
    const { context, git, output } = opened;
    const { id, session } = await readTaskForCommand(args, opened);
    const { commit, notes, force } = args.options;
    if (args.globals.dryRun) return preview(output, 'submit', id);
    const wish = { task: id, commit, notes, isForced: force, cwd: io.cwd };
    const { task, violations, worktree } = await submitByHand(context, session, wish);
    output.json({ task, violations, worktree });
    if (violations.length > 0) {
      output.result(
        [
          `${id} was not accepted: the work breaks its rules.`,
          ...violations.map(
            ({ rule, where, details }) => `  ${toPrintableLine(where)}: ${toPrintableLine(details)} (${rule})`,
          ),
        ].join('\n'),
      );
      output.hint(`git flame task submit ${id}`);
      return 1;
    }
    output.result(`${id} is done at ${task.commit === null ? 'no commit' : shortId(task.commit)}.`);
    await reportConflicts(opened, session, id);
    if (worktree !== null) output.info(`The worktree stays: git worktree remove ${shellQuote(worktree)}`);
    if (isSessionBusy(git.repository.commonDir, session)) output.info('A run is in progress and validates it.');
    else output.hint('git flame run');
    return 0;
  });
}
