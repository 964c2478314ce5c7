import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { planWave, requireTalk } from '../../engine/plan/plan-wave.ts';
import { type Recorder, viewSession } from '../../engine/record.ts';
import { resume } from '../../engine/run-session.ts';
import { withRunContext } from '../run-context/open-run-context.ts';
import { reportEnd } from '../run-loop/continue-session.ts';
import { previewPlan, withStart } from './find-plan.ts';
import { readStartRequest } from './start-request.ts';

/** `git flame plan`: an objective becomes tasks, once a person has approved them. */
export function run(args: CommandArgs<'plan'>, io: Io): Promise<number> {
  const wish = readStartRequest(args);
  return withRunContext(args, io, async (opened) => {
    const { context, config } = opened;
    if (opened.commandLine.isDry) return previewPlan(opened, wish, io);
    if (args.options.interactive === true && wish.from === null) requireTalk(context);
    return withStart(opened, wish, io, async ({ session, plan }) => {
      // A refusal must not make a stopped session active again.
      await requireUnplanned(context, session);
      await resume(context, session);
      await requireUnplanned(context, session);
      const wantsTalk = args.options.interactive ?? config.planning.interactive;
      await planWave(context, session, { plan, wantsTalk });
      await reportEnd(opened, session);
      return 0;
    });
  });
}

async function requireUnplanned(context: Recorder, id: SessionId): Promise<void> {
  const { session } = await viewSession(context, id);
  if (session.wave !== 'plan' && session.proposal === null) throw alreadyPlanned(id);
}

function alreadyPlanned(session: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'already-planned',
    message: `Session ${session} already has a plan.`,
    hints: ['git flame run', 'git flame status'],
  });
}
