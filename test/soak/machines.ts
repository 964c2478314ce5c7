import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ScriptTask } from '../support/exec-project.ts';
import { sufferUntilDone } from '../support/machine-chaos.ts';
import { byLine, machineEnd, makeMachines, planOf, startMachine } from '../support/machine-rig.ts';
import { makeRandom } from '../support/random.ts';
import { type RemoteLine, serveHttp, serveSsh } from '../support/remote-lines.ts';
import { makeTempDir } from '../support/repo.ts';
import { checkSharedHistory } from '../support/shared-history.ts';

// Machines on one session, longer and over worse lines than the suite can afford. By hand:
//   node build/test/soak/machines.js --over http --latency 200 --lost 20 --machines 4 --tasks 40 --seed 7
// --over file|http|ssh (ssh: as root, with openssh-server); --calm: nothing is killed; --shift MINUTES: the clock on
// the wall of every second machine is that far ahead; --seconds: how long a task takes.

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
    calm: { type: 'boolean', default: false },
  },
});

const longestMs = 3_600_000;
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
  if (values.over === 'file') return { url: path, env: {}, close: () => undefined };
  const faults = {
    roundTripMs: Number(values.latency),
    lostAnswers: Number(values.lost),
    chance: (probability: number) => random.chance(probability),
  };
  return serveHttp(path, faults.roundTripMs + faults.lostAnswers > 0 ? faults : null);
}

/** What makes a program's clock on the wall another one; that which only counts stays as it is. */
function shiftedClock(minutes: number): string {
  const file = join(makeTempDir('flame-clock'), 'shift.cjs');
  const text = `const ahead = ${minutes * 60_000}; const Real = Date; const now = Real.now.bind(Real);
globalThis.Date = class extends Real { constructor(...words) { super(...(words.length === 0 ? [now() + ahead] : words)); } static now() { return now() + ahead; } };\n`;
  writeFileSync(file, text);
  return file;
}

async function soak(): Promise<void> {
  const made = makeMachines(Number(values.machines), tasksOf(total), { lease: '15s', renew: '3s' });
  const line = await lineTo(made.remote.path);
  const shift = Number(values.shift);
  const clock = shift === 0 ? null : shiftedClock(shift);
  const rig = byLine(made, line.url, (at) => ({
    ...line.env,
    ...(clock === null || at % 2 === 0 ? {} : { NODE_OPTIONS: `--require ${clock}` }),
  }));
  const [lead, ...others] = rig.machines;
  if (lead === undefined) throw new Error('no lead');
  const began = performance.now();
  startMachine(lead, null);
  const { digest, session } = await planOf(lead);
  for (const machine of others) startMachine(machine, digest);
  if (values.calm) await Promise.all(rig.machines.map(machineEnd));
  else await sufferUntilDone(rig, { digest, random, longestMs });
  const history = checkSharedHistory(rig.remote, session);
  line.close();
  const isSound = history.problems.length === 0 && history.merged === total;
  const result = {
    ...values,
    seconds_taken: Math.round((performance.now() - began) / 1_000),
    ...history,
    doneBy: Object.fromEntries(history.doneBy),
    ends: rig.machines.map(({ ends }) => ends.join(' ')),
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (!isSound) for (const { name, said } of rig.machines) process.stderr.write(`---- ${name}\n${said}\n`);
  process.exitCode = isSound ? 0 : 1;
}

await soak();
