import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { submitByHand } from '../../engine/by-hand/submit.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { isSessionBusy } from '../open/clone-lock.ts';
import { byHand, taskMeant } from './by-hand.ts';
import { tellAhead } from './tell-ahead.ts';

/** `git flame task submit [ID]`: hands in the commits of a claimed task; 1 when they break its rules. */
export function submitOne(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return byHand(args, io, async (opened) => {
    const { workshop, git, output } = opened;
    const { id, session } = await taskMeant(args, opened);
    const { commit, notes, force } = args.options;
    if (args.globals.dryRun) {
      output.json({ task: id });
      output.result(`Would submit ${id}.`);
      return 0;
    }
    const wish = { task: id, commit, notes, isForced: force, cwd: io.cwd };
    const { task, violations, worktree } = await submitByHand(workshop, session, wish);
    output.json({ task, violations, worktree });
    if (violations.length > 0) {
      output.result(
        [
          `${id} was not accepted: what was made breaks its rules.`,
          ...violations.map(
            ({ rule, where, details }) => `  ${visibleLine(where)}: ${visibleLine(details)} (${rule})`,
          ),
        ].join('\n'),
      );
      output.hint(`git flame task submit ${id}`);
      return 1;
    }
    output.result(`${id} is done at ${task.commit === null ? 'no commit' : shortId(task.commit)}.`);
    await tellAhead(opened, session, id);
    if (worktree !== null) output.info(`The worktree stays: git worktree remove ${shellQuote(worktree)}`);
    if (isSessionBusy(git.repository.commonDir, session))
      output.info('A run is going and validates it by itself.');
    else output.hint('git flame run');
    return 0;
  });
}
