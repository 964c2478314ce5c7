import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { withOwnBoard } from './board/board.ts';
import { requireAtHand, withSessionLock } from './context/session-lock.ts';
import { leadSession, ledThrough } from './machines/lead.ts';
import { previewPlan } from './plan/find-plan.ts';
import { continueOpen, reportSelectedSession } from './plan/start-request.ts';
import { withRunContext } from './run-context/open-run-context.ts';
import { continueSession } from './run-loop/continue-session.ts';

/** `git flame resume [SESSION]`: continues a session, and reports what a stop or a kill had left. */
export function run(args: CommandArgs<'resume'>, io: Io): Promise<number> {
  const [session = args.globals.session] = args.positionals;
  const selected = { ...args, positionals: [], globals: { ...args.globals, session } };
  return withRunContext(selected, io, async (opened) => {
    const found = opened.selected.require(await opened.store.snapshot());
    if (opened.commandLine.isDry) {
      await requireAtHand(opened.store, found.id);
      return previewPlan(opened, continueOpen, io);
    }
    reportSelectedSession(opened, found);
    const remote = await ledThrough(opened, continueOpen);
    return withOwnBoard(opened, io, () =>
      remote === null
        ? withSessionLock(opened, found.id, () =>
            continueSession(opened, io, { session: found.id, plan: null }),
          )
        : leadSession(opened, io, { wish: continueOpen, remote, takesOver: false }),
    );
  });
}
