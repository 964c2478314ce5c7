import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from './exec-project.ts';
import { flameJson } from './flame.ts';
import type { MachineNet } from './machine-nets.ts';
import { programFolder, startProgram } from './program.ts';
import { makeTempDir, openRepo, type TestRepo } from './repo.ts';
import { trusted } from './trusted.ts';
import { until } from './until.ts';

/** One machine: a clone with a home of its own, and the program in it. */
export interface RigMachine {
  readonly repo: TestRepo;
  readonly name: string;
  /** Where its remote is. */
  readonly url: string;
  /** null: it shares the network of this process. */
  readonly net: MachineNet | null;
  /** What the program said, of all its starts. */
  said: string;
  child: ChildProcess | null;
  ends: number[];
}

export interface MachineRig {
  readonly remote: TestRepo;
  readonly machines: readonly RigMachine[];
  /** The first machine, and those after it; asking for one that isn't there throws. */
  readonly lead: RigMachine;
  readonly other: RigMachine;
  readonly third: RigMachine;
}

const opened: MachineRig[] = [];

/** Ends programs that are still there, whatever a test came to: a file's process would wait for them. */
export function endOpened(): void {
  for (const { machines } of opened.splice(0)) for (const { child } of machines) child?.kill('SIGKILL');
}

function rigOf(remote: TestRepo, machines: readonly RigMachine[]): MachineRig {
  const at = (index: number): RigMachine => {
    const machine = machines[index];
    if (machine === undefined) throw new Error(`There are ${machines.length} machines.`);
    return machine;
  };
  const rig: MachineRig = {
    ...{ remote, machines },
    get lead() {
      return at(0);
    },
    get other() {
      return at(1);
    },
    get third() {
      return at(2);
    },
  };
  opened.push(rig);
  return rig;
}

// What machines look at and send by the clock costs more than their work does where processes start slowly. Only tests
// that wait for a lease to end have shorter ones.
const calm = { lease: '60s', renew: '4s' };

/** A remote and clones of it whose workers are scripts; the first one leads. A file that calls it has `endOpened` called at its end. */
export function makeMachines(
  count: number,
  tasks: readonly ScriptTask[],
  machines: Readonly<Record<string, unknown>> = calm,
  config: Readonly<Record<string, unknown>> = {},
): MachineRig {
  const seed = makeExecProject({
    config: { concurrency: { development: 2, adaptive: false }, machines, ...config },
  });
  const folder = makeTempDir('flame-machines');
  seed.git('clone', '-q', '--bare', seed.path, join(folder, 'remote.git'));
  const remote = openRepo(join(folder, 'remote.git'));
  return rigOf(
    remote,
    Array.from({ length: count }, (_, at) => {
      const name = `m${at}`;
      const path = join(folder, name);
      seed.git('clone', '-q', remote.path, path);
      const plain = openRepo(path);
      plain.git('config', 'gc.auto', '0');
      const home = join(folder, `${name}-home`);
      mkdirSync(home);
      const env = { ...plain.env, HOME: home, XDG_STATE_HOME: join(home, 'state') };
      const repo = trusted({ ...plain, env });
      if (at === 0) {
        writePlan(repo, tasks);
        writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
      }
      return { repo, name, url: remote.path, net: null, said: '', child: null, ends: [] };
    }),
  );
}

/** A ref of its clone in the words of a script: its file, which a cell shows beside the objects. */
export function refFile(ref: string): string {
  return `"$(git rev-parse --git-common-dir)/objects/../${ref}"`;
}

/** Words of a script that wait until its clone has that ref. */
export function untilThere(ref: string): string {
  return `ref=${refFile(ref)}; for i in $(seq 1200); do test -e "$ref" && break; sleep 0.25; done`;
}

/** A script's first words: it goes on once it is let go. */
export const untilLetGo = untilThere('refs/heads/go');

export function letGo({ machines }: Pick<MachineRig, 'machines'>): void {
  for (const { repo } of machines) repo.git('update-ref', 'refs/heads/go', 'HEAD');
}

/** How a machine reaches the remote: by which address, with which variables, through which network. */
export interface MachineLine {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly net: MachineNet | null;
}

/** The same machines, each with a line of its own. */
export function byLine({ remote, machines }: MachineRig, lineOf: (at: number) => MachineLine): MachineRig {
  return rigOf(
    remote,
    machines.map((machine, at) => {
      const { url, env, net } = lineOf(at);
      machine.repo.git('remote', 'set-url', 'origin', url);
      return { ...machine, url, net, repo: withEnv(machine, env) };
    }),
  );
}

function withEnv({ repo }: RigMachine, env: Readonly<Record<string, string>>): TestRepo {
  return { ...repo, env: { ...repo.env, ...env } };
}

/** The same machines, the second of which starts with such variables. */
export function withOther({ remote, machines }: MachineRig, env: Readonly<Record<string, string>>): MachineRig {
  return rigOf(
    remote,
    machines.map((machine, at) => (at === 1 ? { ...machine, repo: withEnv(machine, env) } : machine)),
  );
}

const leading = ['run', 'Do them', '--remote', 'origin', '--from', '.git/plan.yml'];
const decided = ['--decisions-file', '.git/decisions.yml'];

/** Starts the program of a machine, or starts it again; `more`: other options. */
export function startMachine(machine: RigMachine, digest: string | null, more: readonly string[] = []): void {
  const hadStarted = machine.said !== '';
  const lead = hadStarted ? ['run', '--remote', 'origin'] : leading;
  const argv =
    digest === null
      ? [...lead, ...decided, ...more]
      : ['work', '--join', 'origin', ...(hadStarted ? [] : ['--plan', digest]), ...more];
  const command = [...(machine.net?.enter ?? []), join(programFolder, 'git-flame')];
  const child = startProgram(machine.repo, argv, { command });
  machine.child = child;
  const hear = (chunk: Buffer): void => {
    machine.said += chunk.toString();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.on('close', (code) => {
    machine.ends.push(code ?? -1);
    if (machine.child === child) machine.child = null;
  });
}

/** Starts the lead; resolves once it has a plan. */
export function beginLed({ lead }: Pick<MachineRig, 'lead'>): ReturnType<typeof planOf> {
  startMachine(lead, null);
  return planOf(lead);
}

/** The plan's digest and session, once the lead has one; throws where its program ended before that. */
export async function planOf(lead: RigMachine): Promise<{ readonly digest: string; readonly session: string }> {
  const { repo } = lead;
  let plan: { readonly digest: string; readonly session: string } | undefined;
  await until('the lead has a plan', async () => {
    if (lead.child === null) throw new Error(`The lead ended without a plan:\n${lead.said}`);
    const [status] = (await flameJson(repo, ['status'])).lines;
    const session = status?.session as { readonly id: string; readonly plan_digest?: string } | null | undefined;
    if (session?.plan_digest !== undefined) plan = { digest: session.plan_digest, session: session.id };
    return plan !== undefined;
  });
  assert.ok(plan);
  return plan;
}

/** Cuts a machine off from the remote, or lets it through again. One that reaches it by path alone finds it gone. */
export function cutOff({ repo, url, net }: RigMachine, isCut: boolean): void {
  if (net !== null && /^(?:http|ssh):/.test(url)) net.cut(isCut);
  else repo.git('remote', 'set-url', 'origin', isCut ? '/nonexistent/remote.git' : url);
}

export async function machineEnd(machine: RigMachine): Promise<void> {
  const { child } = machine;
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('close', resolve));
}
