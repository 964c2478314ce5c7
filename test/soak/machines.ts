import { parseArgs } from 'node:util';
import type { ScriptTask } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { type Suffered, sufferUntilDone } from '../support/machine-chaos.ts';
import { makeNet } from '../support/machine-nets.ts';
import { beginLed, byLine, type MachineRig, machineEnd, makeMachines, startMachine } from '../support/machine-rig.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import { makeRandom } from '../support/random.ts';
import { byPath, type RemoteLine, serveHttp } from '../support/remote-lines.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { shiftedClock } from '../support/shifted-clock.ts';
import { serveSsh } from '../support/ssh-line.ts';

// Machines on one session, each with a home, a clone and a network of its own, longer and over worse lines than the
// suite can afford. By hand:
//   node build/test/soak/machines.js --over http --latency 200 --lost 20 --machines 4 --tasks 40 --seed 7
// --over file|http|ssh (ssh: as root, with openssh-server); --calm: nothing is killed; --shift MINUTES: the clock on
// the wall of every second machine is that far ahead; --seconds: how long a task takes; --lease: in seconds, longer on
// a machine that is busy.

const { values } = parseArgs({
  options: {
    over: { type: 'string', default: 'file' },
    latency: { type: 'string', default: '0' },
    lost: { type: 'string', default: '0' },
    machines: { type: 'string', default: '4' },
    tasks: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    shift: { type: 'string', default: '0' },
    lease: { type: 'string', default: '15' },
    calm: { type: 'boolean', default: false },
  },
});

const longestMs = 3_600_000;
const leaseSeconds = Number(values.lease);
const total = Number(values.tasks);
const random = makeRandom(Number(values.seed));

function tasksOf(count: number): readonly ScriptTask[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `task-${String(at + 1).padStart(3, '0')}`;
    const script = `sleep ${values.seconds}; mkdir -p src; echo ${id} > src/${id}.txt`;
    return { id, script, locks: [`src/${id}.txt`] };
  });
}

async function lineTo(path: string): Promise<RemoteLine> {
  if (values.over === 'ssh') return serveSsh(path);
  if (values.over === 'file') return byPath(path);
  const faults = {
    roundTripMs: Number(values.latency),
    lostAnswers: Number(values.lost),
    chance: (probability: number) => random.chance(probability),
  };
  return serveHttp(path, faults.roundTripMs + faults.lostAnswers > 0 ? faults : null);
}

/** Which clones have another state in the end than the remote, once each was brought up to date. */
async function unequalClones({ remote, machines }: MachineRig): Promise<readonly string[]> {
  const state = ({ git }: Pick<typeof remote, 'git'>): string =>
    git(
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      ...['sessions', 'tasks', 'validations', 'reviews', 'kept'].map((name) => `refs/blueflame/${name}`),
    );
  // Twice: what the last one sends, the first one has to hear of.
  for (const { repo } of [...machines, ...machines]) {
    repo.git('remote', 'set-url', 'origin', remote.path);
    await flame(repo, ['sync', 'origin']);
  }
  return machines.filter(({ repo }) => state(repo) !== state(remote)).map(({ name }) => name);
}

async function soak(): Promise<void> {
  const made = makeMachines(Number(values.machines), tasksOf(total), {
    lease: `${leaseSeconds}s`,
    renew: `${Math.floor(leaseSeconds / 5)}s`,
  });
  const line = await lineTo(made.remote.path);
  const shift = Number(values.shift);
  const clock = shift === 0 ? {} : shiftedClock(shift);
  const nets = await Promise.all(made.machines.map((_, at) => makeNet(at)));
  const rig = byLine(made, (at) => ({
    url: line.url(nets[at]?.host ?? ''),
    net: nets[at] ?? null,
    env: {
      ...line.env,
      ...(at % 2 === 0 ? {} : clock),
    },
  }));
  const began = performance.now();
  const { digest, session } = await beginLed(rig);
  for (const machine of rig.machines.slice(1)) startMachine(machine, digest);
  let suffered: Suffered | null = null;
  if (values.calm) await Promise.all(rig.machines.map(machineEnd));
  else {
    const crash = values.over === 'file' ? {} : { crash: line.crash };
    suffered = await sufferUntilDone(rig, {
      ...{ digest, random, longestMs, leaseMs: leaseSeconds * 1_000 },
      ...crash,
    });
  }
  const seconds_taken = Math.round((performance.now() - began) / 1_000);
  const early = checkSharedHistory(rig.remote, session);
  line.close();
  const unequal = await unequalClones(rig);
  // What a machine left that died once the session had ended, a sync takes away.
  const lasting = early.problems.filter((problem) => !problem.startsWith('signs of life are left'));
  const late = checkSharedHistory(rig.remote, session);
  const history = { ...late, problems: [...lasting, ...late.problems] };
  for (const net of nets) net.close();
  // None of them lies, whatever is done to it: none may be said to.
  const accused = rig.machines.flatMap(({ said }) => said.match(/^.*What is known of it: git flame machines$/gm) ?? []);
  const isSound = history.problems.length === 0 && history.merged === total && unequal.length + accused.length === 0;
  const result = {
    ...values,
    seconds_taken,
    ...suffered,
    ...history,
    unequal,
    accused,
    doneBy: Object.fromEntries(history.doneBy),
    ends: rig.machines.map(({ ends }) => ends.join(' ')),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (!isSound) for (const { name, said } of rig.machines) process.stderr.write(`---- ${name}\n${said}\n`);
  process.exitCode = isSound ? 0 : 1;
}

switch (enterNetworkNamespace({ isForServers: true })) {
  case 'inside':
    await soak();
    break;
  case 'none':
    throw new Error('no network namespace can be made here');
  default:
}
