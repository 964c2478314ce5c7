import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../support/exec-project.ts';
import {
  endMachines,
  letGo,
  type MachineRig,
  machineEnd,
  makeMachines,
  planOf,
  type RigMachine,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { until } from '../support/until.ts';

// Two leads that are both alive and at work when a person has the second one take over.

const tasks = [1, 2].map((number) => {
  const id = `task-00${number}`;
  return { id, script: `echo ${id} > src/${id}.txt; ${untilLetGo}`, locks: [`src/${id}.txt`] };
});

interface TwoLeads extends MachineRig {
  readonly old: RigMachine;
  readonly next: RigMachine;
  readonly session: string;
}

const agentsOf = ({ repo }: RigMachine): number => repo.git('worktree', 'list').split('\n').length - 1;

/** In how many of its worktrees what an agent wrote is still there. */
const kept = ({ repo }: RigMachine): number =>
  repo
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree ') && line.includes('/.trees/'))
    .map((line) => line.slice('worktree '.length))
    .filter((path) => tasks.some(({ id }) => existsSync(join(path, `src/${id}.txt`)))).length;

/** The old one leads and both of its agents work; the next one has taken the lead from it, and says so at the remote. */
async function twoLeads(): Promise<TwoLeads> {
  const rig = makeMachines(2, tasks, { lease: '6s', renew: '1s' });
  const [old, next] = rig.machines;
  if (old === undefined || next === undefined) throw new Error('two machines');
  startMachine(old, null);
  const { session } = await planOf(old);
  await until('its agents work', () => agentsOf(old) === 2 || old.child === null);
  writeDecisions(next.repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  // The plan is known there.
  next.said = 'It takes over.\n';
  startMachine(next, null, ['--session', session, '--take-over']);
  return { ...rig, old, next, session };
}

const led = (remote: TwoLeads['remote']): readonly string[] =>
  remote
    .git('log', '--format=%s', 'refs/blueflame/sessions')
    .split('\n')
    .filter((line) => /led by/.test(line));

test('DST-1 LIF-4 a lead that is alive and at work finds itself replaced: it writes nothing more, says so, keeps the work, and the next one lands each task once', async () => {
  const rig = await twoLeads();
  const { remote, old, next, session } = rig;
  try {
    await until('the lead passed on', () => led(remote).length === 2 || next.child === null);
    assert.is(led(remote).length, 2, next.said);
    await until('the old lead has ended', () => old.child === null);
    assert.is(old.ends.at(-1), 1, old.said);
    assert.match(old.said, /leads this session/);
    assert.is(kept(old), 2, old.said);
    letGo(rig);
    await machineEnd(next);
    assert.is(next.ends.at(-1), 0, next.said);
    const history = checkSharedHistory(remote, session);
    assert.equal([history.problems, history.merged], [[], 2], next.said);
  } finally {
    endMachines(rig);
  }
});

test.run();
