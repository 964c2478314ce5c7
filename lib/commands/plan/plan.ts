import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { planWave, requireTalk } from '../../engine/plan/plan-wave.ts';
import { viewSession } from '../../engine/record.ts';
import { resume } from '../../engine/run-session.ts';
import { withWorkshop } from '../open/open-workshop.ts';
import { reportEnd } from '../waves/report-end.ts';
import { withStart } from './find-plan.ts';
import { previewPlan } from './preview.ts';
import { readStartWish } from './start-wish.ts';

/** `git flame plan`: an objective becomes tasks, once a person has approved them. */
export function run(args: CommandArgs<'plan'>, io: Io): Promise<number> {
  const wish = readStartWish(args);
  return withWorkshop(args, io, async (opened) => {
    const { workshop, config } = opened;
    if (opened.wishes.isDry) return previewPlan(opened, wish, io);
    if (args.options.interactive === true && wish.from === null) requireTalk(workshop);
    return withStart(opened, wish, io, async ({ session, plan }) => {
      await resume(workshop, session);
      const { session: now } = await viewSession(workshop, session);
      if (now.wave !== 'plan' && now.proposal === null) throw alreadyPlanned(session);
      const wantsTalk = args.options.interactive ?? config.planning.interactive;
      await planWave(workshop, session, { plan, wantsTalk });
      await reportEnd(opened, session);
      return 0;
    });
  });
}

function alreadyPlanned(session: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'already-planned',
    message: `Session ${session} has its plan already.`,
    hints: ['git flame run', 'git flame status'],
  });
}
