import { plannedCircles } from '../../core/changesets/cohesion-groups.ts';
import { plannedGround, planWaves } from '../../core/schedule/plan-waves.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import type { Workshop } from '../workshop.ts';

/** In which order the tasks of a plan would run, which of them share files, and what is decided together or in parts. */
export function plannedOrder(
  { config }: Pick<Workshop, 'config'>,
  plan: Plan,
): Pick<PlanQuestion, 'waves' | 'overlap' | 'circles'> {
  const { tasks } = plan;
  const { development, overlap: kind } = config.concurrency;
  const waves = planWaves(tasks, development);
  const sharing = plannedGround(tasks, waves);
  const circles = plannedCircles(plan, kind === 'build-on' ? sharing : []);
  return {
    waves,
    ...(sharing.length === 0 ? {} : { overlap: { kind, tasks: sharing } }),
    ...(circles.length === 0 ? {} : { circles }),
  };
}
