import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import { contradictingOptionsError, nothingToKeepError } from '../domain/input-errors.ts';
import type { ValidationDecision } from '../domain/ports/gates.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { requireTaskInView, viewSession } from '../engine/record-changes.ts';
import type { RunContext } from '../engine/run-context.ts';
import { notFailedError, performFailedTaskDecision } from '../engine/validate/decide-failed-tasks.ts';
import { runValidateWave } from '../engine/validate/validate-wave.ts';
import { verifyEvidence } from '../engine/validate/verify-evidence.ts';
import { withRunContext } from './run-context/open-run-context.ts';
import { runWave } from './run-loop/run-wave.ts';

/** `git flame validate`: wave 3 alone, a decision about one task, or its checks again. 1 when a task did not pass or something came out otherwise. */
export function run(args: CommandArgs<'validate'>, io: Io): Promise<number> {
  const decision = decisionOf(args);
  const [task] = args.positionals;
  if (args.options.verify) return verify(args, io);
  if (task !== undefined && decision !== null)
    return runWave(args, io, {
      actions: ['validate'],
      notDue: () => notFailedError(task),
      perform: async ({ context }, session) => {
        await performFailedTaskDecision(context, session, {
          id: task,
          decision: { ...decision, where: 'command' },
        });
        return decision.kind === 'recheck' ? await recheckedCode(context, session, task) : 0;
      },
    });
  if (task !== undefined) throw undecided(task);
  return runWave(args, io, {
    actions: ['validate'],
    perform: async ({ context }, session) => {
      const before = await viewSession(context, session);
      const due = new Set(before.tasks.filter(({ status }) => status === 'done').map(({ id }) => id));
      await runValidateWave(context, session);
      const { tasks } = await viewSession(context, session);
      // A task that was lost before has its own command's exit code.
      return tasks.some(({ id, status }) => due.has(id) && status !== 'done') ? 1 : 0;
    },
  });
}

async function recheckedCode(context: RunContext, session: SessionId, id: string): Promise<number> {
  const { status, result } = requireTaskInView(await viewSession(context, session), id);
  return status === 'done' && result.status === 'pass' ? 0 : 1;
}

function verify(args: CommandArgs<'validate'>, io: Io): Promise<number> {
  return withRunContext(args, io, async ({ context, store, output, selected }) => {
    const session = selected.require(await store.snapshot()).id;
    const [task = null] = args.positionals;
    if (args.globals.dryRun) {
      output.result(`Would run the diagnostics again on ${task ?? 'every judged task'} and compare.`);
      return 0;
    }
    const done = await verifyEvidence(context, session, task);
    return done.every(({ differences }) => differences.length === 0) ? 0 : 1;
  });
}

/** The decision given on the command line; null: none. Throws FlameErrors `contradiction`, `task-not-named`, `nothing-to-keep`. */
function decisionOf({ options, positionals }: CommandArgs<'validate'>): ValidationDecision | null {
  const { requeue, keepWork: keep, override, recheck, verify: isVerified } = options;
  if (keep && requeue === null)
    throw nothingToKeepError('--keep-work needs --requeue: the next attempt then starts from this work.', hints);
  if ([requeue !== null, override !== null, recheck, isVerified].filter(Boolean).length > 1)
    throw contradictingOptionsError('--requeue, --override, --recheck and --verify exclude each other.', hints);
  if (requeue === null && override === null && !recheck) return null;
  if (positionals.length === 0) throw taskNotNamed();
  if (recheck) return { kind: 'recheck' };
  if (override !== null) return { kind: 'pass', override };
  return { kind: 'requeue', notes: requeue ?? '', ...(keep ? { keep } : {}) };
}

const hints = ['git flame validate TASK --requeue NOTES', 'git flame validate -h'];

function taskNotNamed(): FlameError {
  const message = '--requeue, --override and --recheck need the id of a task.';
  return new FlameError({ kind: 'usage', code: 'task-not-named', message, hints });
}

function undecided(task: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'task-without-decision',
    message: 'git flame validate checks all finished tasks; for a single task, add a decision or --verify.',
    hints: [`git flame validate --verify ${task}`, 'git flame validate -h'],
  });
}
