import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { claim, type Machine, openMachine } from '../store/remote-session/machine.ts';
import { addClone, makeClones } from '../store/sync-clones.ts';
import type { ScriptTask } from '../support/exec-project.ts';
import { beginLed, machineEnd, makeMachines, startMachine } from '../support/machine-rig.ts';
import { hermeticEnv, makeRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { type BenchRow, type Figure, medianFigure } from './figures.ts';

const machines = 4;
const agents = 8;
const tasks = 16;
const taskSeconds = 6;
const claims = 96;
const rounds = 3;
const longestLoopMs = 120_000;

/** Several machines on one session at a remote, against one that does the same, and against a loop of one's own. */
export async function benchMachines(): Promise<BenchRow[]> {
  const [together, alone] = [await timeSession(machines), await timeSession(1)];
  const [ours, loop]: [Figure[], Figure[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timeClaims());
    loop.push(await timeLoop());
  }
  return [
    {
      what: `${machines} machines, ${tasks} tasks of ${taskSeconds} s`,
      against: 'one machine',
      figures: { ours: together, other: alone },
      target: { kind: 'ratio', most: 0.6 },
    },
    {
      what: `${machines} machines claim ${claims} tasks`,
      against: 'shell loops',
      figures: { ours: medianFigure(ours), other: medianFigure(loop) },
      target: { kind: 'ratio', most: 0.5 },
    },
  ];
}

async function timeSession(count: number): Promise<Figure> {
  const plan = Array.from({ length: tasks }, (_, at): ScriptTask => {
    const file = `src/${at + 1}.txt`;
    return { id: `task-${at + 1}`, script: `sleep ${taskSeconds}; echo ${at} > ${file}`, locks: [file] };
  });
  const rig = makeMachines(count, plan, { lease: '2m', renew: '20s' });
  const began = performance.now();
  const { digest, session } = await beginLed(rig);
  for (const machine of rig.machines.slice(1)) startMachine(machine, digest);
  await Promise.all(rig.machines.map(machineEnd));
  const wall_ms = performance.now() - began;
  const { problems } = checkSharedHistory(rig.remote, session);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { wall_ms, cpu_ms: null };
}

/** As machines do whose agents all want something to do: each asks for as many as it has agents, again and again. */
async function timeClaims(): Promise<Figure> {
  const ids = Array.from({ length: claims }, (_, at) => `task-${String(at + 1).padStart(3, '0')}`);
  const { remote, clones } = await makeClones(ids);
  const more = Array.from({ length: machines - clones.length }, (_, at) =>
    addClone(remote, join(makeTempDir('flame-clones'), `more-${at}`)),
  );
  const opened = await Promise.all([...clones, ...more].map((repo, at) => openMachine(repo, `host/${at}`)));
  for (const { remoteSession } of opened) await remoteSession.exchangeNow();
  const left = [...ids];
  const next = async (machine: Machine, agent: string): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift())
      if (!(await claim(machine, id, agent))) throw new Error(`${id} was not won`);
  };
  const began = performance.now();
  await Promise.all(
    opened.flatMap((machine, at) =>
      Array.from({ length: agents }, (_, agent) => next(machine, `worker-000000${at}${agent}`)),
    ),
  );
  const wall_ms = performance.now() - began;
  for (const { close } of opened) await close();
  requireCount(remote, '--grep=-> claimed by', 'refs/blueflame/tasks');
  return { wall_ms, cpu_ms: null };
}

// What one would write: the tree at the remote holds a file for each task that is taken. (A ref right below refs/ is
// refused by git's server, whoever pushes it.)
const loopScript = `
seq ${claims} >.git/all
body=$(git hash-object -w .git/all)
while :; do
  git fetch -q origin +refs/loop/claims:refs/loop/claims
  next=$(git ls-tree --name-only refs/loop/claims | sort | comm -13 - .git/sorted | head -n 1)
  [ -n "$next" ] || exit 0
  git read-tree refs/loop/claims
  git update-index --add --cacheinfo "100644,$body,$next"
  commit=$(git commit-tree "$(git write-tree)" -p refs/loop/claims -m "$next")
  git push -q origin "$commit:refs/loop/claims" 2>/dev/null
done
`;

async function timeLoop(): Promise<Figure> {
  const seed = makeRepo();
  const folder = makeTempDir('flame-loop');
  seed.git('clone', '-q', '--bare', seed.path, join(folder, 'remote.git'));
  const remote = openRepo(join(folder, 'remote.git'));
  const empty = remote.git('commit-tree', remote.git('mktree', '--missing'), '-m', 'none');
  remote.git('update-ref', 'refs/loop/claims', empty);
  const sorted = Array.from({ length: claims }, (_, at) => `${at + 1}`).sort();
  const clones = Array.from({ length: machines }, (_, at) => {
    const clone = addClone(remote, join(folder, `${at}`));
    clone.git('config', 'gc.auto', '0');
    clone.write('.git/sorted', `${sorted.join('\n')}\n`);
    return clone;
  });
  const began = performance.now();
  const env = { ...hermeticEnv, LC_ALL: 'C' };
  const loops = clones.map(({ path }) =>
    spawn('sh', ['-c', loopScript], {
      ...{ cwd: path, env, timeout: longestLoopMs },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  await Promise.all(loops.map((loop) => once(loop, 'close')));
  if (loops.some(({ signalCode }) => signalCode !== null))
    throw new Error(`the loops took more than ${longestLoopMs / 1_000} s`);
  const wall_ms = performance.now() - began;
  requireCount(remote, '--min-parents=1', 'refs/loop/claims');
  return { wall_ms, cpu_ms: null };
}

function requireCount(remote: TestRepo, which: string, ref: string): void {
  const found = remote.git('rev-list', '--count', which, ref);
  if (found !== `${claims}`) throw new Error(`${found} claims on ${ref}, not ${claims}`);
}
