import { tryLimits } from '../../cell/probes/limits-trial.ts';
import { type ConfinementTrial, tryConfinement } from '../../cell/probes/probe-confinement.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import type { SandboxState } from '../../cell/sandbox-state.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';

/**
 * Phase 2: a cell that tries to get out, and cells that use too much. A sandbox is required where a run from here would
 * require it, see requireSandbox: where no person reads a warning, it permits nothing.
 */
export async function examineSandbox(
  context: RunnerContext,
  { used }: ConfiguredAdapters,
  isInteractive: boolean,
): Promise<readonly Finding[]> {
  const asksModel = used.some((name) => needsModel(context.adapters(name)));
  const unpinned = await findUnpinned(context, used);
  const isRequired = unpinned.length > 0 || (context.config.sandbox.require ?? (asksModel || !isInteractive));
  const confinement = judgeConfinement(await context.sandbox(), await tryConfinement(context));
  const findings = [
    unpinned.length === 0
      ? confinement
      : { ...confinement, result: 'missing' as const, details: [...confinement.details, ...unpinned] },
    ...(await examineLimits(context)),
  ];
  return findings.map((one) => ({ ...one, isRequired: isRequired && one.check === 'confinement' }));
}

/** What can't be used here whatever is accepted, a sentence each; see requireSandbox. */
async function findUnpinned(context: RunnerContext, used: readonly string[]): Promise<readonly string[]> {
  if ((await context.sandbox()).confinement === 'bubblewrap') return [];
  return used
    .filter((name) => context.adapters(name).takesAccountShell)
    .map(
      (name) => `${name} is refused here: only bubblewrap holds its commands to the shell that is judged.`,
    );
}

/** What a trial in a cell of this kind says. */
export function judgeConfinement(
  { confinement, missing, limits, cure }: Pick<SandboxState, 'confinement' | 'missing' | 'limits' | 'cure'>,
  { works, escapes }: ConfinementTrial,
): Finding {
  const check = checkOf('sandbox', 'confinement');
  const weaker = missing.filter((line) => !limits.missing.includes(line));
  const isHeld = works && escapes.length === 0;
  if (isHeld && confinement === 'bubblewrap')
    return check.proven(
      'A cell of bubblewrap could not write outside, connect to anything, remount, leave a process or keep a file that was left open.',
    );
  if (isHeld && confinement === 'seatbelt') {
    const held = 'A cell of sandbox-exec could not write outside or connect to anything.';
    return check.weaker(held, { details: weaker });
  }
  const message = works ? 'What agents run is not confined.' : 'Nothing can be run in a cell here.';
  return check.missing(message, { details: [...weaker, ...escapes], hints: cure });
}

const limitNames = { memory: 'memory', cpu: 'CPU time', processes: 'number of processes' } as const;

async function examineLimits(context: RunnerContext): Promise<Finding[]> {
  const { limits } = await context.sandbox();
  const held = await tryLimits(context);
  return (['memory', 'cpu', 'processes'] as const).map((name) => {
    const check = checkOf('sandbox', `limit-${name}`);
    const what = `The ${limitNames[name]} of a cell as a whole`;
    if (!held[name])
      return check.missing(`${what} is not limited: a cell that used too much was not stopped.`);
    if (limits[name] !== 'watchdog')
      return check.proven(`${what} is limited by ${limits[name]}; a cell that used too much was stopped.`);
    return check.weaker(`${what} is looked at once a second; a cell that used too much was stopped.`, {
      hints: ['A user session of systemd, or a control group that is delegated to you, makes it exact.'],
    });
  });
}
