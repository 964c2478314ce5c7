import { runCanary } from '../../cell/canary/run-canary.ts';
import { probeWatcher } from '../../cell/probes/probe-watcher.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';

/** Phase 1: an allowed and a blocked call through each client, and the real CLIs' own hooks. Spends no tokens. */
export async function examineWatcher(
  context: RunnerContext,
  { used, present }: ConfiguredAdapters,
): Promise<readonly Finding[]> {
  const hooked = present.filter((name) => context.adapters(name).calls !== null);
  const isRequired = used.some((name) => context.adapters(name).calls !== null);
  const findings: Finding[] = [{ ...(await examineClient(context)), isRequired }];
  for (const name of hooked)
    findings.push({ ...(await examineCanary(context, name)), isRequired: used.includes(name) });
  return findings;
}

async function examineClient(context: RunnerContext): Promise<Finding> {
  const check = checkOf('watcher', 'decision-server');
  try {
    const client = await probeWatcher(context);
    const message = 'A call that is allowed went through, and one that is not was blocked, asked with';
    if (client.kind === 'native') return check.proven(`${message} the native client.`);
    if (client.kind === 'perl') return check.proven(`${message} ${client.program}.`);
    return check.weaker(`${message} node: each tool call waits some 20 ms longer than with perl.`, {
      hints: ['Install perl, or a C compiler before building.'],
    });
  } catch (error) {
    // Its hints would lead here.
    return { ...check.failed(error), hints: [] };
  }
}

async function examineCanary(context: RunnerContext, adapter: string): Promise<Finding> {
  const check = checkOf('watcher', `canary-${adapter}`);
  const { denied, details } = await runCanary(context, adapter).catch((error: unknown) => {
    if (!(error instanceof FlameError)) throw error;
    return { denied: false, details: error.message };
  });
  if (denied) return check.proven(`A forbidden call of ${adapter} itself was ${details}.`);
  return check.missing(`A forbidden call of ${adapter} itself was not denied.`, {
    details: [details],
    hints: [`Check the version of ${adapter}, then: git flame doctor`],
  });
}
