import { FlameError } from '../domain/flame-error.ts';
import type { CommandArgs } from '../domain/shown/command-args.ts';
import type { Io } from '../domain/shown/io.ts';
import { viewSession } from '../engine/record.ts';
import { validateWave } from '../engine/validate/validate-wave.ts';
import { verifyEvidence } from '../engine/validate/verify-evidence.ts';
import { withWorkshop } from './open/open-workshop.ts';
import { runWave } from './open/run-wave.ts';

/** `git flame validate`: wave 3 alone, or its checks again. 1 when a task did not pass or something came out otherwise. */
export function run(args: CommandArgs<'validate'>, io: Io): Promise<number> {
  if (args.options.verify) return verify(args, io);
  const [task] = args.positionals;
  if (task !== undefined) throw onlyVerified(task);
  return runWave(args, io, {
    actions: ['validate'],
    perform: async ({ workshop }, session) => {
      const before = await viewSession(workshop, session);
      const due = new Set(before.tasks.filter(({ status }) => status === 'done').map(({ id }) => id));
      await validateWave(workshop, session);
      const { tasks } = await viewSession(workshop, session);
      // A task that was lost before has its own command's exit code.
      return tasks.some(({ id, status }) => due.has(id) && status !== 'done') ? 1 : 0;
    },
  });
}

function verify(args: CommandArgs<'validate'>, io: Io): Promise<number> {
  return withWorkshop(args, io, async ({ workshop, store, output, meant }) => {
    const session = meant.require(await store.snapshot()).id;
    const [task = null] = args.positionals;
    if (args.globals.dryRun) {
      output.result(`Would run the diagnostics again on ${task ?? 'every judged task'} and compare.`);
      return 0;
    }
    const done = await verifyEvidence(workshop, session, task);
    return done.every(({ differences }) => differences.length === 0) ? 0 : 1;
  });
}

function onlyVerified(task: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'task-without-verify',
    message: 'A wave validates all finished tasks; one alone can only be verified again.',
    hints: ['git flame validate', `git flame validate --verify ${task}`],
  });
}
