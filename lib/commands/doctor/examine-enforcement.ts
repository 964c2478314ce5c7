import { runCanary } from '../../cell/canary/run-canary.ts';
import { type ConfinementTestResult, testCellLimits, testConfinement } from '../../cell/probes/confinement-tests.ts';
import { findFastestWatcherClient } from '../../cell/probes/probe-watcher.ts';
import type { RunnerContext, SandboxCapabilities } from '../../cell/runner-context.ts';
import { configSchema } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity, type ObjectId, parseAgentId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { ChangedFile } from '../../domain/state/patch.ts';
import { createCheckFindings, type DoctorFinding } from '../../domain/view-models/doctor-finding.ts';
import { checkBranch } from '../../policy/check-branch.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import type { ConfiguredAdapters } from './examine-programs.ts';

/** Phase 1: an allowed and a blocked call through each client, and the real CLIs' own hooks. Spends no tokens. */
export async function examineWatcher(
  context: RunnerContext,
  { used, present }: ConfiguredAdapters,
): Promise<readonly DoctorFinding[]> {
  const hooked = present.filter((name) => context.adapters(name).calls !== null);
  const isRequired = used.some((name) => context.adapters(name).calls !== null);
  const findings: DoctorFinding[] = [{ ...(await examineClient(context)), isRequired }];
  for (const name of hooked)
    findings.push({ ...(await examineCanary(context, name)), isRequired: used.includes(name) });
  return findings;
}

async function examineClient(context: RunnerContext): Promise<DoctorFinding> {
  const check = createCheckFindings('watcher', 'decision-server');
  try {
    const client = await findFastestWatcherClient(context);
    const message = 'An allowed call passed and a forbidden one was blocked, with';
    if (client === 'native') return check.proven(`${message} the native client.`);
    return check.weaker(`${message} node: each tool call takes about 20 ms longer than with the native client.`, {
      hints: ['Install a C compiler before building.'],
    });
  } catch (error) {
    // Its hints would lead here.
    return { ...check.failed(error), hints: [] };
  }
}

async function examineCanary(context: RunnerContext, adapter: string): Promise<DoctorFinding> {
  const check = createCheckFindings('watcher', `canary-${adapter}`);
  const { denied, details } = await runCanary(context, adapter).catch((error: unknown) => {
    if (!(error instanceof FlameError)) throw error;
    return { denied: false, details: error.message };
  });
  if (denied) return check.proven(`A forbidden call by ${adapter} was ${details}.`);
  return check.missing(`A forbidden call by ${adapter} was not denied.`, {
    details: [details],
    hints: [`Check the version of ${adapter}, then: git flame doctor`],
  });
}

/**
 * Phase 2: a cell that tries to get out, and cells that use too much. A sandbox is required where a run from here would
 * require it, see requireSandbox: where no person reads a warning, it permits nothing.
 */
export async function examineSandbox(
  context: RunnerContext,
  { used }: ConfiguredAdapters,
  isInteractive: boolean,
): Promise<readonly DoctorFinding[]> {
  const asksModel = used.some((name) => adapterTalksToModel(context.adapters(name)));
  const unpinned = await findUnpinned(context, used);
  const isRequired = unpinned.length > 0 || (context.config.sandbox.require ?? (asksModel || !isInteractive));
  const confinement = createConfinementFinding(await context.sandbox(), await testConfinement(context));
  const findings = [
    unpinned.length === 0
      ? confinement
      : { ...confinement, result: 'missing' as const, details: [...confinement.details, ...unpinned] },
    ...(await examineLimits(context)),
  ];
  return findings.map((one) => ({ ...one, isRequired: isRequired && one.check === 'confinement' }));
}

/** Returns a sentence for each CLI that no acceptance makes usable here; see requireSandbox. */
async function findUnpinned(context: RunnerContext, used: readonly string[]): Promise<readonly string[]> {
  if ((await context.sandbox()).confinement === 'bubblewrap') return [];
  return used
    .filter((name) => context.adapters(name).takesAccountShell)
    .map((name) => `${name} is refused here: only bubblewrap limits its commands to the shell that is judged.`);
}

/** The finding from a trial in a cell of this kind. */
export function createConfinementFinding(
  { confinement, missing, limits, cure }: Pick<SandboxCapabilities, 'confinement' | 'missing' | 'limits' | 'cure'>,
  { works, escapes }: ConfinementTestResult,
): DoctorFinding {
  const check = createCheckFindings('sandbox', 'confinement');
  const weaker = missing.filter((line) => !limits.missing.includes(line));
  const isHeld = works && escapes.length === 0;
  if (isHeld && confinement === 'bubblewrap')
    return check.proven(
      'A cell of bubblewrap could not write outside, connect to anything, remount, leave a process behind or keep a file open.',
    );
  if (isHeld && confinement === 'seatbelt') {
    const held = 'A cell of sandbox-exec could not write outside or connect to anything.';
    return check.weaker(held, { details: weaker });
  }
  const message = works ? 'Nothing confines what agents run.' : 'Nothing can be run in a cell here.';
  return check.missing(message, { details: [...weaker, ...escapes], hints: cure });
}

const limitNames = { memory: 'memory', cpu: 'CPU time', processes: 'number of processes' } as const;

async function examineLimits(context: RunnerContext): Promise<DoctorFinding[]> {
  const { limits } = await context.sandbox();
  const held = await testCellLimits(context);
  return (['memory', 'cpu', 'processes'] as const).map((name) => {
    const check = createCheckFindings('sandbox', `limit-${name}`);
    const what = `The ${limitNames[name]} of a cell as a whole`;
    if (!held[name]) return check.missing(`${what} is not limited: a cell that used too much was not stopped.`);
    if (limits[name] !== 'watchdog')
      return check.proven(`${what} is limited by ${limits[name]}; a cell that used too much was stopped.`);
    return check.weaker(`${what} is checked once a second; a cell that used too much was stopped.`, {
      hints: ['For an exact limit, use a user session of systemd, or a control group delegated to you.'],
    });
  });
}

const agent = agentIdentity('worker-00000000');
const start = '1'.repeat(40) as ObjectId;
const tip = '2'.repeat(40) as ObjectId;

/** Phase 3: a branch in order passes; one that writes a hook and rewrites history is found out by both rules. */
export function examinePostCheck(): readonly DoctorFinding[] {
  const check = createCheckFindings('post-check', 'sample-branch');
  const good = rulesBroken('src/a.txt', [start]);
  const bad = rulesBroken('.git/hooks/pre-commit', []);
  if (good.length > 0 || bad.length !== 2) {
    const message = "The check of finished branches can't tell a good sample from a bad one.";
    const details = [`good: ${good.join(', ') || 'passed'}`, `bad: ${bad.join(', ') || 'passed'}`];
    return [check.missing(message, { details })];
  }
  const rules = bad.join(' and ');
  return [check.proven(`A sample branch that keeps the rules passed; one that breaks them was refused by ${rules}.`)];
}

function rulesBroken(path: string, parents: readonly ObjectId[]): string[] {
  const policy = compilePolicy({
    config: configSchema.parse({}),
    role: 'worker',
    agentId: parseAgentId('worker-00000000'),
    worktree: '/sample',
    fileLocks: ['src/'],
  });
  const broken = checkBranch({
    policy,
    start,
    files: [addedFile(path)],
    commits: [
      {
        oid: tip,
        tree: start,
        parents,
        message: 'feat(sample): add a file',
        author: agent,
        committer: agent,
        authored: 0,
        committed: 0,
      },
    ],
    signer: { identity: agent, began: 0, now: 0 },
    readText: () => 'text\n',
  });
  return [...new Set(broken.map(({ rule }) => rule))];
}

function addedFile(path: string): ChangedFile {
  return {
    path,
    status: 'added',
    oldMode: '000000',
    newMode: '100644',
    oldOid: '0'.repeat(40) as ObjectId,
    newOid: tip,
    size: 5,
    isBinary: false,
  };
}
