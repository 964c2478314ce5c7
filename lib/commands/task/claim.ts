import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { claimByHand } from '../../engine/by-hand/claim.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { waitForLock } from '../open/clone-lock.ts';
import { byHand } from './by-hand.ts';
import { readRole } from './next.ts';
import { tellAhead, tellElsewhere } from './tell-ahead.ts';

/** `git flame task claim [ID]`: the person has the task from now on, and a worktree to do it in. */
export function claimOne(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return byHand(args, io, async ({ workshop, git, store, config, output, meant }) => {
    const session = meant.require(await store.snapshot());
    const role = readRole(args.options.role);
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
      signal: workshop.signal,
    };
    const { task, worktree, branch } = await waitForLock(lock, () => claimByHand(workshop, session.id, wish));
    output.json({ task, worktree, branch });
    const locks = task.file_locks.map(visibleLine).join(', ');
    output.result(
      [
        `${task.id} is yours: ${visibleLine(task.title)}`,
        ...(worktree === null ? [] : [`  work in     ${worktree}`]),
        ...(branch === null ? [] : [`  on branch   ${branch}`]),
        `  may change  ${locks}`,
      ].join('\n'),
    );
    const { setup } = config.project;
    if (worktree !== null && setup.length > 0) output.info(`Set up by: ${setup.map(visibleLine).join('; ')}`);
    if (branch !== null) await tellElsewhere({ workshop, output }, session.id, task);
    if (branch !== null) await tellAhead({ workshop, output }, session.id, task.id);
    if (worktree !== null) output.hint(`cd ${shellQuote(worktree)}`);
    output.hint(`git flame task submit ${task.id}`);
    return 0;
  });
}
