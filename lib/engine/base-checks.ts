import type { ObjectId } from '../domain/ids.ts';
import { landsOn, type Session } from '../domain/session.ts';
import type { DiagnosticRun } from '../domain/verdict.ts';
import { diagnoseCommit, failedDiagnostics, hasDiagnostics } from './run-diagnostics.ts';
import { baseTip } from './start-point.ts';
import type { Workshop } from './workshop.ts';

type Failing = Pick<DiagnosticRun, 'command' | 'exit_code' | 'timed_out'> & { readonly output: string };

/**
 * Says before anybody works which diagnostics fail on the base branch itself: no task could pass them. They are tried
 * once for each base and commands; once something landed, the base is what they judged already.
 */
export async function warnOfBase(workshop: Workshop, session: Session): Promise<void> {
  if (!hasDiagnostics(workshop)) return;
  if (session.changesets.some(({ state }) => state === 'landed')) return;
  const failing = await failingOn(workshop, await baseTip(workshop, session));
  for (const run of failing) {
    const message = `${describeFailing(run, landsOn(session))}, so no task can pass it.`;
    const details = [...lastLines(run.output), ...waysOn];
    workshop.events.emit({ event: 'notice', level: 'warning', message, details });
  }
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
  return output.trimEnd().split('\n').slice(-5);
}

/** The diagnostics that fail on a commit; tried once, then remembered. */
async function failingOn(workshop: Workshop, commit: ObjectId): Promise<readonly Failing[]> {
  const { project, validation } = workshop.config;
  const { commands, timeout } = validation.validator_diagnostics;
  const { setup, copy, link } = project;
  const key = JSON.stringify({ commit, commands, timeout, setup, copy, link });
  const known = await workshop.tried.read(key);
  if (known !== null) return JSON.parse(known) as readonly Failing[];
  const runs = failedDiagnostics(await diagnoseCommit(workshop, commit));
  const failing = runs.map(({ command, exit_code, timed_out, output }) => ({
    ...{ command, exit_code, timed_out },
    output: output.slice(-2_000),
  }));
  await workshop.tried.write(key, JSON.stringify(failing));
  return failing;
}
