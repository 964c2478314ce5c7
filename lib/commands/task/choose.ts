import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { chooseAttempt } from '../../engine/by-hand/choose-attempt.ts';
import { shortId } from '../../util/short-names.ts';
import { isSessionBusy } from '../open/clone-lock.ts';
import { requireOwn } from '../open/own-terminal.ts';
import { byHand, taskMeant } from './by-hand.ts';

/** `git flame task choose [ID] --attempt N`: another of several attempts is the task's work. */
export function chooseOne(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return byHand(args, io, async (opened) => {
    const { workshop, git, output } = opened;
    const { id, session } = await taskMeant(args, opened);
    const { attempt } = args.options;
    if (attempt === null) throw noneNamed(id);
    if (args.globals.dryRun) {
      output.json({ task: id });
      output.result(`Would make attempt ${attempt} the work of ${id}.`);
      return 0;
    }
    requireOwn('Which attempt counts', opened.git.repository, io);
    const task = await chooseAttempt(workshop, session, { task: id, attempt });
    output.json({ task });
    const at = task.commit === null ? 'no commit' : shortId(task.commit);
    output.result(`Attempt ${attempt} is the work of ${id} now, at ${at}.`);
    if (!isSessionBusy(git.repository.commonDir, session)) output.hint('git flame run');
    return 0;
  });
}

function noneNamed(id: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-attempt-named',
    message: `git flame task choose needs to know which attempt at ${id}.`,
    hints: [`git flame show ${id}`, `git flame task choose ${id} --attempt 2`],
  });
}
