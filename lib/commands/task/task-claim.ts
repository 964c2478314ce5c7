import { FlameError } from '../../domain/flame-error.ts';
import { agentRoles, type Role } from '../../domain/role.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { chooseOtherAttemptByHand } from '../../engine/manual/choose-attempt.ts';
import { claimByHand, selectNextTaskToClaim } from '../../engine/manual/claim-by-hand.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { readConfig, requireWorkTree } from '../context/read-config.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { isSessionBusy, runUnderCloneLock } from '../context/session-lock.ts';
import { withTrustedDecisions } from '../context/with-trusted-decisions.ts';
import { readTaskForCommand, reportConflicts, warnOfForeignWork, withManualWork } from './with-manual-work.ts';

/** `git flame task claim [ID]`: the person has the task from now on, and a worktree to do it in. */
export function runTaskClaim(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async ({ context, git, store, config, output, selected }) => {
    const session = selected.require(await store.snapshot());
    const role = parseTaskRole(args.options.role);
    const [wanted = null] = args.positionals;
    if (args.globals.dryRun) {
      output.json({ session: session.id, task: wanted });
      output.result(`Would claim ${wanted ?? 'the next task that is ready'}.`);
      return 0;
    }
    const wish = { task: wanted, role, wantsWorktree: args.options.worktree };
    // One after the other: the second of one person finds the first one's worktree, not a claim without one.
    const lock = {
      commonDir: git.repository.commonDir,
      name: `claim-${session.id}`,
      signal: context.signal,
    };
    const { task, worktree, branch } = await runUnderCloneLock(lock, () => claimByHand(context, session.id, wish));
    output.json({ task, worktree, branch });
    const locks = task.file_locks.map(toPrintableLine).join(', ');
    output.result(
      [
        `${task.id} is yours: ${toPrintableLine(task.title)}`,
        ...(worktree === null ? [] : [`  work in     ${worktree}`]),
        ...(branch === null ? [] : [`  on branch   ${branch}`]),
        `  locks       ${locks}`,
      ].join('\n'),
    );
    const { setup } = config.project;
    if (worktree !== null && setup.length > 0) output.info(`Set up by: ${setup.map(toPrintableLine).join('; ')}`);
    if (branch !== null) await warnOfForeignWork({ context, output }, session.id, task);
    if (branch !== null) await reportConflicts({ context, output }, session.id, task.id);
    if (worktree !== null) output.hint(`cd ${shellQuote(worktree)}`);
    output.hint(`git flame task submit ${task.id}`);
    return 0;
  });
}

/** `git flame task next`: what should be done next; 1 when nothing can be started. */
export function runTaskNext(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withTrustedDecisions(args, io, async ({ git, store, output, selected, configFile }) => {
    const role = parseTaskRole(args.options.role);
    const { config } = await readConfig(requireWorkTree(git), configFile);
    const snapshot = await store.snapshot();
    const { tasks } = snapshot.admitted(selected.require(snapshot).id);
    const { task, why } = selectNextTaskToClaim(tasks, {
      limit: config.concurrency.development,
      now: new Date(),
      role,
    });
    output.json({ task, why: task === null ? why : null });
    if (task === null) {
      output.info(`No task is ready: ${why}.`);
      return 1;
    }
    output.result(`${task.id}: ${toPrintableLine(task.title)}`);
    output.hint(`git flame task claim ${task.id}`);
    return 0;
  });
}

/** Throws FlameError `bad-role`. */
export function parseTaskRole(text: string | null): Role | null {
  if (text === null) return null;
  const role = agentRoles.find((name) => name === text);
  if (role !== undefined) return role;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-role',
    message: `There is no role ${JSON.stringify(text.slice(0, 100))}. The roles are ${agentRoles.join(', ')}.`,
    hints: ['git flame task next --role worker'],
  });
}

/** `git flame task choose [ID] --attempt N`: another of several attempts is the task's work. */
export function runTaskChoose(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async (opened) => {
    const { context, git, output } = opened;
    const { id, session } = await readTaskForCommand(args, opened);
    const { attempt } = args.options;
    if (attempt === null) throw noneNamed(id);
    if (args.globals.dryRun) {
      output.json({ task: id });
      output.result(`Would choose attempt ${attempt} as the work of ${id}.`);
      return 0;
    }
    requireTypedByPerson('Which attempt counts', opened.git.repository, io);
    const task = await chooseOtherAttemptByHand(context, session, { task: id, attempt });
    output.json({ task });
    const at = task.commit === null ? 'no commit' : shortId(task.commit);
    output.result(`Attempt ${attempt} is now the work of ${id}, at ${at}.`);
    if (!isSessionBusy(git.repository.commonDir, session)) output.hint('git flame run');
    return 0;
  });
}

function noneNamed(id: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-attempt-named',
    message: `git flame task choose needs the number of an attempt at ${id}.`,
    hints: [`git flame show ${id}`, `git flame task choose ${id} --attempt 2`],
  });
}
