import { planWaves } from '../../core/schedule/plan-waves.ts';
import { plannedGround } from '../../core/schedule/planned-ground.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import type { Workshop } from '../workshop.ts';

/** In which order the tasks of a plan would run, and which of them share files. */
export function plannedOrder(
  { config }: Pick<Workshop, 'config'>,
  { tasks }: Plan,
): Pick<PlanQuestion, 'waves' | 'overlap'> {
  const { development, overlap: kind } = config.concurrency;
  const waves = planWaves(tasks, development);
  const sharing = plannedGround(tasks, waves);
  return { waves, ...(sharing.length === 0 ? {} : { overlap: { kind, tasks: sharing } }) };
}
