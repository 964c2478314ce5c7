import { isOpen } from '../core/next-action.ts';
import type { CommandArgs } from '../domain/command-args.ts';
import type { Io } from '../domain/io.ts';
import { runSession } from '../engine/run-session.ts';
import { canTalk } from './wiring/can-talk.ts';
import { findStart } from './wiring/find-plan.ts';
import { withWorkshop } from './wiring/open-workshop.ts';
import { previewPlan } from './wiring/preview.ts';
import { exitCodeOf, reportingEnd } from './wiring/report-end.ts';
import { withSessionLock } from './wiring/with-session-lock.ts';

/** `git flame run`: the whole loop, from the objective to what landed; goes on where it stopped. */
export function run(args: CommandArgs<'run'>, io: Io): Promise<number> {
  return withWorkshop(args, io, async (opened) => {
    const { workshop, git, output, config } = opened;
    if (args.globals.dryRun) return previewPlan(opened, args, io);
    const { session, plan } = await findStart(opened, args, io);
    return withSessionLock(git.repository.commonDir, session, async () => {
      const isInteractive = canTalk(opened, plan !== null, config.planning.interactive);
      const { session: now, tasks } = await reportingEnd(opened, session, () =>
        runSession(workshop, session, { plan, isInteractive }),
      );
      if (now.state === 'stopped') output.hint('git flame run');
      // The limit of cycles can end a session whose work isn't done.
      return now.state === 'ended' && tasks.some(isOpen) ? 1 : exitCodeOf(tasks);
    });
  });
}
