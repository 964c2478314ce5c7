import { runCanary } from '../../cell/canary/run-canary.ts';
import { probeWatcher } from '../../cell/probes/probe-watcher.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
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
  const base = { area: 'watcher', check: 'decision-server' } as const;
  try {
    const client = await probeWatcher(context);
    const message = 'A call that is allowed went through, and one that is not was blocked, asked with';
    if (client.kind === 'native')
      return finding({ ...base, result: 'proven', message: `${message} the native client.` });
    if (client.kind === 'perl')
      return finding({ ...base, result: 'proven', message: `${message} ${client.program}.` });
    return finding({
      ...base,
      result: 'weaker',
      message: `${message} node: each tool call waits some 20 ms longer than with perl.`,
      hints: ['Install perl, or a C compiler before building.'],
    });
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return finding({ ...base, result: 'missing', message: error.message, details: error.lines });
  }
}

async function examineCanary(context: RunnerContext, adapter: string): Promise<Finding> {
  const base = { area: 'watcher', check: `canary-${adapter}` } as const;
  const { denied, details } = await runCanary(context, adapter).catch((error: unknown) => {
    if (!(error instanceof FlameError)) throw error;
    return { denied: false, details: error.message };
  });
  return denied
    ? finding({ ...base, result: 'proven', message: `A forbidden call of ${adapter} itself was ${details}.` })
    : finding({
        ...base,
        result: 'missing',
        message: `A forbidden call of ${adapter} itself was not denied.`,
        details: [details],
        hints: [`Check the version of ${adapter}, then: git flame doctor`],
      });
}
