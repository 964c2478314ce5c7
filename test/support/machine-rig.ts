import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from './exec-project.ts';
import { flameJson } from './flame.ts';
import { startProgram } from './program.ts';
import { makeTempDir, openRepo, type TestRepo } from './repo.ts';
import { trusted } from './trusted.ts';

/** One machine: a clone with a home of its own, and the program in it. */
export interface RigMachine {
  readonly repo: TestRepo;
  readonly name: string;
  /** Where its remote is. */
  readonly url: string;
  /** What the program said, of all its starts. */
  said: string;
  child: ChildProcess | null;
  ends: number[];
}

export interface MachineRig {
  readonly remote: TestRepo;
  readonly machines: readonly RigMachine[];
}

/** A remote and clones of it whose workers are scripts; the first one leads. */
export function makeMachines(
  count: number,
  tasks: readonly ScriptTask[],
  machines: Readonly<Record<string, unknown>> = { lease: '6s', renew: '1s' },
): MachineRig {
  const seed = makeExecProject({ config: { concurrency: { development: 2, adaptive: false }, machines } });
  const folder = makeTempDir('flame-machines');
  seed.git('clone', '-q', '--bare', seed.path, join(folder, 'remote.git'));
  const remote = openRepo(join(folder, 'remote.git'));
  return {
    remote,
    machines: Array.from({ length: count }, (_, at) => {
      const name = `m${at}`;
      const path = join(folder, name);
      seed.git('clone', '-q', remote.path, path);
      const plain = openRepo(path);
      plain.git('config', 'gc.auto', '0');
      const env = { ...plain.env, XDG_STATE_HOME: join(folder, `${name}-state`) };
      const repo = trusted({ ...plain, env });
      if (at === 0) {
        writePlan(repo, tasks);
        writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
      }
      return { repo, name, url: remote.path, said: '', child: null, ends: [] };
    }),
  };
}

/** The same machines, which reach the remote by another line; a variable may be for some of them alone. */
export function byLine(
  { remote, machines }: MachineRig,
  url: string,
  envOf: (at: number) => Readonly<Record<string, string>>,
): MachineRig {
  return {
    remote,
    machines: machines.map((machine, at) => {
      machine.repo.git('remote', 'set-url', 'origin', url);
      return { ...machine, url, repo: { ...machine.repo, env: { ...machine.repo.env, ...envOf(at) } } };
    }),
  };
}

const leading = ['run', 'Do them', '--remote', 'origin', '--from', '.git/plan.yml'];
const decided = ['--decisions-file', '.git/decisions.yml'];

/** Starts the program of a machine, or starts it again. */
export function startMachine(machine: RigMachine, digest: string | null): void {
  const hadStarted = machine.said !== '';
  const lead = hadStarted ? ['run', '--remote', 'origin'] : leading;
  const argv =
    digest === null
      ? [...lead, ...decided]
      : ['work', '--join', 'origin', ...(hadStarted ? [] : ['--plan', digest])];
  const child = startProgram(machine.repo, argv);
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

/** The plan's digest and session, once the lead has one. */
export async function planOf({
  repo,
}: RigMachine): Promise<{ readonly digest: string; readonly session: string }> {
  for (;;) {
    const [status] = (await flameJson(repo, ['status'])).lines;
    const session = status?.session as
      | { readonly id: string; readonly plan_digest?: string }
      | null
      | undefined;
    if (session?.plan_digest !== undefined) return { digest: session.plan_digest, session: session.id };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Cuts a machine off from the remote, or lets it through again. */
export function cutOff({ repo, url }: RigMachine, isCut: boolean): void {
  repo.git('remote', 'set-url', 'origin', isCut ? '/nonexistent/remote.git' : url);
}

export async function machineEnd(machine: RigMachine): Promise<void> {
  const { child } = machine;
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('close', resolve));
}
