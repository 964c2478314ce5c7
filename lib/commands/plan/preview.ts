import { nextAction } from '../../core/schedule/next-action.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { requireSoundPlan } from '../../engine/plan/plan-wave.ts';
import { plannedOrder } from '../../engine/plan/shown-plan.ts';
import { readBounds } from '../../engine/plan-problems.ts';
import { viewSession } from '../../engine/record.ts';
import { findBase } from '../../engine/work/preflight.ts';
import { renderCircles } from '../../ui/render/render-plan.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import type { Opened } from '../open/open-workshop.ts';
import { openSession } from './find-plan.ts';
import { planSource, readPlan } from './read-plan.ts';
import { isMeant, type StartWish } from './start-wish.ts';

/** Shows what `plan` and `run` would do, with `--dry-run`: nothing is spawned and nothing stored. */
export async function previewPlan(opened: Opened, wish: StartWish, io: Io): Promise<number> {
  const { from, objective } = wish;
  const base = await findBase(opened.workshop);
  const session = opened.meant.pick(await opened.store.snapshot());
  const lines = [`Base branch: ${base.branch} at ${shortId(base.commit)}`];
  let waves: readonly (readonly string[])[] = [];
  let overlap: PlanQuestion['overlap'] | null = null;
  let circles: PlanQuestion['circles'] = [];
  if (from !== null) {
    const plan = await readPlan(from, io);
    await requireSound(opened, wish, plan);
    const order = plannedOrder(opened.workshop, plan);
    waves = order.waves;
    overlap = order.overlap ?? null;
    circles = order.circles ?? [];
    lines.push(
      `Plan: ${formatCount(plan.tasks.length, 'task')} from ${planSource(from)}`,
      ...waves.map((wave, index) => `  step ${index + 1}: ${wave.join(', ')}`),
      ...(overlap?.tasks ?? []).map(
        ({ task, below }) =>
          `  ${task} ${overlap?.kind === 'build-on' ? 'builds on' : 'starts apart from'} ${below.map((one) => one.task).join(', ')}`,
      ),
      ...renderCircles(circles).map((line) => `  ${line}`),
    );
  } else if (objective !== null) lines.push(`A planner would be asked for: ${objective}`);
  else if (session !== null && session.state !== 'ended') {
    const view = await viewSession(opened.workshop, session.id);
    const { kind } = nextAction({ ...view, maxCycles: opened.config.limits.max_wave_cycles });
    lines.push(`Session ${session.id} would continue with: ${kind}`);
  }
  opened.output.result(lines.join('\n'));
  opened.output.json({
    base,
    from,
    objective,
    waves,
    ...(overlap === null ? {} : { overlap }),
    ...(circles.length === 0 ? {} : { circles }),
  });
  return 0;
}

/** All that the plan would be refused for: in the session it would belong to, or in a new one. */
async function requireSound({ workshop, store, meant }: Opened, wish: StartWish, plan: Plan): Promise<void> {
  const snapshot = await store.snapshot();
  const session = openSession(meant.pick(snapshot));
  const goesOn = session !== null && isMeant(session, wish);
  const beside = goesOn ? snapshot.tasksOf(session.id) : [];
  const commit = goesOn ? session.base_commit : (await findBase(workshop)).commit;
  requireSoundPlan(await readBounds(workshop, commit), plan, beside);
}
