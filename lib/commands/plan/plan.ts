import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { requirePlannerThatTalks, runPlanWave } from '../../engine/plan/plan-wave.ts';
import { type RecordContext, viewSession } from '../../engine/record-changes.ts';
import { resumeSession } from '../../engine/run-session.ts';
import { withRunContext } from '../run-context/open-run-context.ts';
import { reportCommandEnd } from '../run-loop/continue-session.ts';
import { previewPlan, runFromStartRequest } from './run-from-start-request.ts';
import { readStartRequest } from './start-request.ts';

/** `git flame plan`: an objective becomes tasks, once a person has approved them. */
export function run(args: CommandArgs<'plan'>, io: Io): Promise<number> {
  const wish = readStartRequest(args);
  return withRunContext(args, io, async (opened) => {
    const { context, config } = opened;
    if (opened.commandLine.isDry) return previewPlan(opened, wish, io);
    if (args.options.interactive === true && wish.from === null) requirePlannerThatTalks(context);
    return runFromStartRequest(opened, wish, io, async ({ session, plan }) => {
      // A refusal must not make a stopped session active again.
      await requireUnplanned(context, session);
      await resumeSession(context, session);
      await requireUnplanned(context, session);
      const wantsTalk = args.options.interactive ?? config.planning.interactive;
      await runPlanWave(context, session, { plan, wantsTalk });
      await reportCommandEnd(opened, session);
      return 0;
    });
  });
}

async function requireUnplanned(context: RecordContext, id: SessionId): Promise<void> {
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
