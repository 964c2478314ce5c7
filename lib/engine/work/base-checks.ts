import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { BaseQuestion } from '../../domain/ports/gates.ts';
import { landsOn, type Session } from '../../domain/state/session.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { baseTip } from '../start-point.ts';
import { diagnoseCommit, failedDiagnostics, hasDiagnostics } from '../validate/run-diagnostics.ts';
import type { Workshop } from '../workshop.ts';

type Failing = Pick<DiagnosticRun, 'command' | 'exit_code' | 'timed_out'> & { readonly output: string };

/**
 * Says before anybody works which diagnostics fail on the base branch itself: no task could pass them. They are tried
 * once for each base and commands; once something landed, the base is what they judged already.
 */
export async function warnOfBase(workshop: Workshop, session: Session, isPaid: boolean): Promise<void> {
  if (!hasDiagnostics(workshop)) return;
  if (session.changesets.some(({ state }) => state === 'landed')) return;
  const commit = await baseTip(workshop, session);
  const failing = await failingOn(workshop, commit);
  for (const run of failing) {
    const message = `${describeFailing(run, landsOn(session))}, so no task can pass it.`;
    const details = [...lastLines(run.output), ...waysOn];
    workshop.events.emit({ event: 'notice', level: 'warning', message, details });
  }
  if (failing.length === 0 || !isPaid) return;
  const clauses = failing.map((run) => describeFailing(run, landsOn(session)));
  await askWhetherToPay(workshop, `${session.id} ${keyOf(workshop, commit)}`, { commit, failing: clauses });
}

/** A person at a terminal is asked before agents are paid for what can't pass, once for what they said yes to. */
async function askWhetherToPay(
  workshop: Pick<Workshop, 'gates' | 'tried'>,
  key: string,
  question: BaseQuestion,
): Promise<void> {
  const { gates, tried } = workshop;
  const known = `paid all the same ${key}`;
  if (gates.base === undefined || (await tried.read(known)) !== null) return;
  if ((await gates.base(question)) === 'go-on') return tried.write(known, 'yes');
  throw new FlameError({
    kind: 'refused',
    code: 'base-fails',
    message: 'No agent was started: diagnostics fail on the base already.',
    details: [...question.failing, ...waysOn],
    hints: ['git flame work'],
  });
}

/** What a person does about it. */
export const waysOn = [
  'Mend it first, make it a task of its own, or take it out of validation.validator_diagnostics.commands.',
];

/** `npm test fails on main already (exit 1)`. */
export function describeFailing(
  { command, exit_code: exit, timed_out: isLate }: Failing,
  branch: string,
): string {
  const how = isLate ? 'it took too long' : exit === null ? 'it was killed' : `exit ${exit}`;
  return `${command} fails on ${branch} already (${how})`;
}

/** The end of what it printed. */
export function lastLines(output: string): readonly string[] {
  return output.trimEnd() === '' ? [] : output.trimEnd().split('\n').slice(-5);
}

/** The diagnostics that fail on a commit; tried once, then remembered. */
async function failingOn(workshop: Workshop, commit: ObjectId): Promise<readonly Failing[]> {
  const key = keyOf(workshop, commit);
  const known = await workshop.tried.read(key);
  if (known !== null) return JSON.parse(known) as readonly Failing[];
  return rememberRuns(
    workshop,
    commit,
    await diagnoseCommit(workshop, commit, null, { session: null, words: 'the base' }),
  );
}

/** What the diagnostics of a base came to, in the place of what was remembered of it. */
export async function rememberRuns(
  workshop: Pick<Workshop, 'config' | 'tried'>,
  commit: ObjectId,
  runs: readonly DiagnosticRun[],
): Promise<readonly Failing[]> {
  const failing = failedDiagnostics(runs).map(({ command, exit_code, timed_out, output }) => ({
    ...{ command, exit_code, timed_out },
    output: output.slice(-2_000),
  }));
  await workshop.tried.write(keyOf(workshop, commit), JSON.stringify(failing));
  return failing;
}

/** Everything the outcome of the diagnostics depends on. */
function keyOf({ config }: Pick<Workshop, 'config'>, commit: ObjectId): string {
  const { commands, timeout } = config.validation.validator_diagnostics;
  const { setup, copy, link } = config.project;
  return JSON.stringify({ commit, commands, timeout, setup, copy, link });
}
