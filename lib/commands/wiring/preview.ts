import { resolve } from 'node:path';
import { readPlanFile } from '../../config/read-plan-file.ts';
import { nextAction } from '../../core/next-action.ts';
import { planWaves } from '../../core/plan-waves.ts';
import type { CommandArgs } from '../../domain/command-args.ts';
import type { Io } from '../../domain/io.ts';
import { findBase } from '../../engine/preflight.ts';
import { readNamedFile } from './open-gates.ts';
import type { Opened } from './open-workshop.ts';
import { pickSession } from './read-state.ts';

/** What `plan` and `run` would do, with `--dry-run`: nothing is spawned and nothing stored. */
export async function previewPlan(
  opened: Opened,
  args: CommandArgs<'plan'> | CommandArgs<'run'>,
  io: Io,
): Promise<number> {
  const { from } = args.options;
  const base = await findBase(opened.workshop);
  const session = pickSession(await opened.store.snapshot(), args);
  const lines = [`Base branch: ${base.branch} at ${base.commit.slice(0, 12)}`];
  let waves: readonly (readonly string[])[] = [];
  if (from !== null) {
    const file = resolve(io.cwd, from);
    const plan = readPlanFile(await readNamedFile(file), file);
    waves = planWaves(plan.tasks, opened.config.concurrency.development);
    lines.push(
      `Plan: ${plan.tasks.length} tasks from ${from}`,
      ...waves.map((wave, index) => `  batch ${index + 1}: ${wave.join(', ')}`),
    );
  } else if (args.positionals.length > 0)
    lines.push(`A planner would be asked for: ${args.positionals[0] ?? ''}`);
  else if (session !== null && session.state !== 'ended') {
    const tasks = (await opened.store.snapshot()).tasksOf(session.id);
    const { kind } = nextAction({ session, tasks, maxCycles: opened.config.limits.max_wave_cycles });
    lines.push(`Session ${session.id} would go on with: ${kind}`);
  }
  opened.output.result(lines.join('\n'));
  opened.output.json({ base, from, objective: args.positionals[0] ?? null, waves });
  return 0;
}
