import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { withOwnBoard } from './board/board.ts';
import { requireAtHand, withSessionLock } from './context/session-lock.ts';
import { leadSession, ledThrough } from './machines/lead.ts';
import { previewPlan } from './plan/find-plan.ts';
import { goingOn, sayWhich } from './plan/start-request.ts';
import { withWorkshop } from './run-context/open-workshop.ts';
import { goOn } from './run-loop/continue-session.ts';

/** `git flame resume [SESSION]`: continues a session, and reports what a stop or a kill had left. */
export function run(args: CommandArgs<'resume'>, io: Io): Promise<number> {
  const [session = args.globals.session] = args.positionals;
  const meant = { ...args, positionals: [], globals: { ...args.globals, session } };
  return withWorkshop(meant, io, async (opened) => {
    const found = opened.meant.require(await opened.store.snapshot());
    if (opened.wishes.isDry) {
      await requireAtHand(opened.store, found.id);
      return previewPlan(opened, goingOn, io);
    }
    sayWhich(opened, found);
    const remote = await ledThrough(opened, goingOn);
    return withOwnBoard(opened, io, () =>
      remote === null
        ? withSessionLock(opened, found.id, () => goOn(opened, io, { session: found.id, plan: null }))
        : leadSession(opened, io, { wish: goingOn, remote, takesOver: false }),
    );
  });
}
