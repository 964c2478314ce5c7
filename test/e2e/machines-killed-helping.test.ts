import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCloneKey } from '../../lib/trust/clone-key.ts';
import { flame } from '../support/flame.ts';
import { sampleOf, spread } from '../support/kill-rig.ts';
import {
  beginLed,
  endOpened,
  letGo,
  type MachineRig,
  machineEnd,
  makeMachines,
  type RigMachine,
  startMachine,
  untilLetGo,
  withOther,
} from '../support/machine-rig.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { until } from '../support/until.ts';

// A machine is killed while it judges for the one that leads. By hand, at each point of that work:
//   FLAME_KILL=all node build/test/run.js e2e/machines-killed-helping

const script = (id: string): string => `mkdir -p src; echo ${id} > src/${id}.txt`;
// While the second one is at work, who leads judges nothing itself.
const tasks = [
  { id: 'task-001', script: script('task-001'), locks: ['src/task-001.txt'] },
  { id: 'task-002', script: `${untilLetGo}; ${script('task-002')}`, locks: ['src/task-002.txt'] },
];

interface Helped {
  readonly rig: MachineRig;
  readonly lead: RigMachine;
  readonly helper: RigMachine;
  readonly session: string;
}

test.after(endOpened);

/** A lead and a helper that it trusts from the start, which dies as `env` says, until the lead has ended. */
async function helped(env: Readonly<Record<string, string>>): Promise<Helped> {
  const rig = withOther(makeMachines(2, tasks, { lease: '15s', renew: '3s' }), env);
  const { remote, lead, other: helper } = rig;
  const { key } = openCloneKey({ env: helper.repo.env, commonDir: join(helper.repo.path, '.git') });
  lead.repo.git('config', '--add', 'blueflame.trustedMachine', `${key} 2099-12-31`);
  const { digest, session } = await beginLed(rig);
  startMachine(helper, digest, ['--role', 'validate']);
  await until('it judged, or died', () => helper.child === null || verdictsOn(remote).length > 0);
  letGo(rig);
  await machineEnd(lead);
  return { rig, lead, helper, session };
}

/** The tasks of the verdicts there are, each as often as it has one. */
function verdictsOn(remote: TestRepo): readonly string[] {
  if (remote.git('for-each-ref', 'refs/blueflame/validations') === '') return [];
  const subjects = remote.git('log', '--format=%s', 'refs/blueflame/validations');
  return [...subjects.matchAll(/^(task-\d+): (?:pass|fail) by/gm)].map(([, id = '']) => id).sort();
}

// Its claim to judge was taken, its verdict is to be sent, was taken.
const sample: readonly string[] = [
  '/^remote done: refs.blueflame.tasks refs.blueflame.machines/',
  '/^remote to push: .*validations/',
  '/^remote done: .*validations/',
];

/** Each moment from the first thing a helper sends for its work on, until it has given back what it held. */
async function allPoints(): Promise<readonly string[]> {
  const log = join(makeTempDir('flame-points'), 'log');
  writeFileSync(log, '');
  const { helper, lead } = await helped({ FLAME_TEST_KILL_LOG: log });
  await machineEnd(helper);
  assert.equal([lead.ends, helper.ends], [[0], [0]], `${lead.said}\n${helper.said}`);
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const isWork = (line: string): boolean => / remote to push: refs\/blueflame\/(?:tasks|sessions) /.test(line);
  const [first, last] = [lines.findIndex(isWork), lines.findLastIndex(isWork)];
  return lines.slice(first - 5, last + 10).map((line) => line.split(' ')[0] ?? '');
}

const isAll = process.env.FLAME_KILL === 'all';
for (const point of isAll ? await allPoints() : spread(sample, sampleOf(2, 3)))
  test(`LIF-4 DST-1 a machine that validates is killed at ${point}: who leads takes over, nothing is lost, nothing twice, nobody accused`, async () => {
    const { rig, lead, helper, session } = await helped({ FLAME_TEST_KILL_AT: point });
    const said = (): string => `${lead.said}\n----\n${helper.said}`;
    if (!isAll) assert.equal(helper.ends, [-1], said());
    assert.equal(lead.ends, [0], said());
    const tasksThen = rig.remote.git('rev-parse', 'refs/blueflame/tasks');
    const { FLAME_TEST_KILL_AT: _, ...env } = helper.repo.env;
    const back = { ...helper.repo, env };
    await flame(back, ['work', '--join', 'origin', '--role', 'validate']);
    const history = checkSharedHistory(rig.remote, session);
    assert.equal([history.problems, history.merged, history.claims], [[], 2, 2], said());
    assert.equal(verdictsOn(rig.remote), ['task-001', 'task-002']);
    assert.is(rig.remote.git('rev-parse', 'refs/blueflame/tasks'), tasksThen);
    assert.not.match(said(), /What is known of it: git flame machines/);
  });

test.run();
