import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { runWithOwnBoard } from './board/board.ts';
import { requireNotArchived, withSessionLock } from './context/session-lock.ts';
import { findRemoteLedThrough, leadSharedSession } from './machines/lead-shared-session.ts';
import { previewPlan } from './plan/run-from-start-request.ts';
import { continueOpenSession, reportSelectedSession } from './plan/start-request.ts';
import { withRunContext } from './run-context/open-run-context.ts';
import { continueSession } from './run-loop/continue-session.ts';

/** `git flame resume [SESSION]`: continues a session, and reports what a stop or a kill had left. */
export function run(args: CommandArgs<'resume'>, io: Io): Promise<number> {
  const [session = args.globals.session] = args.positionals;
  const selected = { ...args, positionals: [], globals: { ...args.globals, session } };
  return withRunContext(selected, io, async (opened) => {
    const found = opened.selected.require(await opened.store.snapshot());
    if (opened.commandLine.isDry) {
      await requireNotArchived(opened.store, found.id);
      return previewPlan(opened, continueOpenSession, io);
    }
    reportSelectedSession(opened, found);
    const remote = await findRemoteLedThrough(opened, continueOpenSession);
    return runWithOwnBoard(opened, io, () =>
      remote === null
        ? withSessionLock(opened, found.id, () => continueSession(opened, io, { session: found.id, plan: null }))
        : leadSharedSession(opened, io, { wish: continueOpenSession, remote, takesOver: false }),
    );
  });
}
