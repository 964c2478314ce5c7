import { isOpen } from '../../core/next-action.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/plan.ts';
import { runSession } from '../../engine/run-session.ts';
import { nextCommand } from './next-command.ts';
import type { Opened } from './open-workshop.ts';
import { exitCodeOf, reportingEnd } from './report-end.ts';
import { withSessionLock } from './with-session-lock.ts';

/** Runs a session from where it is to its end, or to where a person is needed; resolves to the exit code. */
export function goOn(opened: Opened, session: SessionId, plan: Plan | null): Promise<number> {
  const { workshop, git, config } = opened;
  return withSessionLock(git.repository.commonDir, session, async () => {
    const { session: now, tasks } = await reportingEnd(
      opened,
      session,
      () => runSession(workshop, session, { plan, wantsTalk: config.planning.interactive }),
      (view) => (view.session.state === 'stopped' ? 'git flame run' : nextCommand(view.session, view.tasks)),
    );
    // The limit of cycles can end a session whose work isn't done.
    return now.state === 'ended' && tasks.some(isOpen) ? 1 : exitCodeOf(tasks);
  });
}
