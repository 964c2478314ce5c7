import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { type MachineNet, makeNet } from '../support/machine-nets.ts';
import {
  beginLed,
  byLine,
  cutOff,
  endOpened,
  letGo,
  type MachineRig,
  machineEnd,
  makeMachines,
  type RigMachine,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import { runProgram } from '../support/program.ts';
import { serveHttp } from '../support/remote-lines.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { shiftedClock } from '../support/shifted-clock.ts';
import { until } from '../support/until.ts';

// At random, longer and over other lines: node build/test/soak/machines.js

const tasksOf = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const id = `task-${String(at + 1).padStart(3, '0')}`;
    return { id, script: `${untilLetGo}; echo ${id} > src/${id}.txt`, locks: [`src/${id}.txt`] };
  });

const saidBy = ({ machines }: MachineRig): string => machines.map(({ said }) => said).join('\n----\n');

const happens = (what: string, rig: MachineRig, isSo: () => boolean): Promise<void> =>
  until(what, isSo, { details: () => saidBy(rig) });

const isAtWork = ({ repo }: RigMachine): boolean => repo.git('worktree', 'list').split('\n').length > 1;

/** Which machines were given up, as one of them said. */
function givenUp({ said }: RigMachine): ReadonlySet<string> {
  return new Set([...said.matchAll(/is free again: (\S+) sent no heartbeat/g)].map(([, name]) => name ?? ''));
}

async function hurtAll(): Promise<void> {
  // On a busy machine a renewal by http takes seconds: what is slow must not lapse.
  const made = makeMachines(3, tasksOf(6), { lease: '40s', renew: '8s' });
  const line = await serveHttp(made.remote.path, null);
  const nets = hasNets ? await Promise.all([0, 1, 2].map(makeNet)) : [];
  try {
    await hurt(made, line, nets);
  } finally {
    for (const net of nets) net.close();
    line.close();
  }
}

async function hurt(
  made: MachineRig,
  line: Awaited<ReturnType<typeof serveHttp>>,
  nets: readonly MachineNet[],
): Promise<void> {
  const clocks = [{}, shiftedClock(60), shiftedClock(-60)];
  const rig = byLine(made, (at) => ({
    ...{ url: line.url(nets[at]?.host ?? '127.0.0.1'), net: nets[at] ?? null, env: clocks[at] ?? {} },
  }));
  const { lead, other: stopped, third: cut } = rig;
  const { digest, session } = await beginLed(rig);
  for (const machine of [stopped, cut]) startMachine(machine, digest);
  await happens('both work', rig, () => isAtWork(stopped) && isAtWork(cut));
  stopped.child?.kill('SIGSTOP');
  cutOff(cut, true);
  letGo(rig);
  await happens('both are given up', rig, () => givenUp(lead).size === 2);
  lead.child?.kill('SIGKILL');
  await happens('the lead is dead', rig, () => lead.child === null);
  stopped.child?.kill('SIGCONT');
  cutOff(cut, false);
  startMachine(lead, null);
  for (const machine of rig.machines) await machineEnd(machine);
  const all = saidBy(rig);
  const history = checkSharedHistory(rig.remote, session);
  // Who ends waits so long for the remote and no longer: a sign it left counts for no more than its lease.
  const problems = history.problems.filter((problem) => !problem.startsWith('signs of life are left'));
  assert.equal(problems, [], all);
  const signs = rig.remote.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/machines');
  assert.ok(signs.split('\n').length <= 1, `of one machine at most:\n${signs}\n${all}`);
  assert.is(history.merged, 6);
  assert.ok(history.claims >= 8, 'what was given up was claimed once more');
  assert.is(lead.ends.at(-1), 0, all);
  for (const machine of [stopped, cut])
    assert.match(machine.said, /was released|does not count|accepted no heartbeat|can't be reached/, all);
  for (const { repo } of rig.machines) {
    repo.git('remote', 'set-url', 'origin', rig.remote.path);
    await flame(repo, ['sync', 'origin']);
  }
  const states = rig.machines.map(({ repo }) => repo.git('rev-parse', 'refs/blueflame/tasks'));
  assert.is(new Set(states).size, 1, 'clones are equal in the end');
}

async function twoLeads(): Promise<void> {
  const rig = makeMachines(2, tasksOf(2), { lease: '6s', renew: '1s' });
  const { lead, other } = rig;
  const { session } = await beginLed(rig);
  await happens('it works', rig, () => isAtWork(lead));
  lead.child?.kill('SIGSTOP');
  letGo(rig);
  const again = ['run', '--remote', 'origin', '--session', session];
  const refused = await runProgram(other.repo, again);
  assert.is.not(refused.code, 0);
  assert.match(refused.stderr, /leads this session/);
  assert.match(refused.stderr, /git flame run --remote --take-over/);
  writeDecisions(other.repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  const taken = await runProgram(other.repo, [...again, '--take-over', '--decisions-file', '.git/decisions.yml']);
  lead.child?.kill('SIGCONT');
  assert.is(taken.code, 0, taken.stderr);
  // It finds its lead passed on with its first look, says so, and ends by itself.
  await machineEnd(lead);
  assert.is(lead.ends.at(-1), 1, lead.said);
  assert.match(lead.said, /leads this session/);
  const history = checkSharedHistory(rig.remote, session);
  assert.equal([history.problems, history.merged], [[], 2]);
}

const place = enterNetworkNamespace({ isForServers: true });
const hasNets = place === 'inside';
if (place !== 'outside') {
  test.after(endOpened);
  test(
    'DST-1 DST-2 LIF-4 machines with clocks an hour off, one stopped and one cut off for longer than their lease, a lead that is killed: each task done and landed once',
    hurtAll,
  );
  test(
    'DST-1 two leads: the second is refused, or takes over by the word of a person, and what the first held passes on',
    twoLeads,
  );
}

if (place !== 'outside') test.run();
