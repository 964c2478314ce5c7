import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import {
  beginLed,
  endOpened,
  letGo,
  machineEnd,
  makeMachines,
  type RigMachine,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { until } from '../support/until.ts';

// Several attempts at once at tasks of a session that machines share: each machine makes all of those it claims.

test.after(endOpened);

const task = (id: string) => ({
  ...{ id, locks: [`src/${id}.txt`], attempts: 2 },
  script: `${untilLetGo}; mkdir -p src; od -An -N8 -tx1 /dev/urandom > src/${id}.txt`,
});

interface Told {
  readonly id: string;
  readonly status: string;
  readonly commit: string;
  readonly claimed_host: string | null;
  readonly tries: readonly {
    readonly agent_id: string;
    readonly ended: string | null;
    readonly chosen?: boolean;
    readonly work?: { readonly commit: string };
  }[];
}

async function tasksOn({ repo }: RigMachine): Promise<readonly Told[]> {
  return ((await flameJson(repo, ['status'])).lines[0]?.tasks ?? []) as readonly Told[];
}

/** What lost on the other machine stays there: choosing it says so, and changes nothing. */
async function notChosenHere(lead: RigMachine): Promise<void> {
  const isHere = (commit = ''): boolean => {
    try {
      return lead.repo.git('cat-file', '-t', commit) === 'commit';
    } catch {
      return false;
    }
  };
  const tasks = await tasksOn(lead);
  const gone = tasks.flatMap(({ id, tries }) =>
    tries.flatMap(({ work, chosen }, at) =>
      chosen !== true && !isHere(work?.commit) ? [{ id, attempt: `${at + 1}` }] : [],
    ),
  );
  assert.is(gone.length, 1, JSON.stringify(tasks));
  for (const { id, attempt } of gone) {
    const { code, stderr } = await flame(lead.repo, ['task', 'choose', id, '--attempt', attempt]);
    assert.is(code, 1, stderr);
    assert.match(stderr.replace(/\s+/g, ' '), /is not in this clone: it was made on \S+/);
  }
  assert.equal(
    (await tasksOn(lead)).map(({ commit }) => commit),
    tasks.map(({ commit }) => commit),
  );
}

test('RND-4 DST-1 attempts are made on the machine that claims the task, one counts, and it lands with the lead', async () => {
  const rig = makeMachines(2, [task('task-001'), task('task-002')]);
  const { lead, other } = rig;
  writeDecisions(lead.repo, { plan: ['approve'] });
  const { digest, session } = await beginLed(rig);
  startMachine(other, digest);
  await until('each has one', async () => {
    if (lead.child === null) throw new Error(lead.said);
    const hosts = (await tasksOn(lead)).flatMap(({ status, claimed_host }) =>
      status === 'claimed' ? [claimed_host] : [],
    );
    return new Set(hosts).size === 2;
  });
  letGo(rig);
  await machineEnd(lead);
  assert.equal(lead.ends, [2], lead.said);
  await notChosenHere(lead);
  writeDecisions(lead.repo, { changesets: ['approve', 'approve'], session: ['stop'] });
  startMachine(lead, null);
  for (const machine of [lead, other]) await machineEnd(machine);
  assert.equal([lead.ends, other.ends], [[2, 0], [0]], `${lead.said}\n----\n${other.said}`);
  const history = checkSharedHistory(rig.remote, session);
  assert.equal([history.problems, history.merged], [[], 2]);
  const tasks = await tasksOn(lead);
  for (const { id, commit, tries } of tasks) {
    assert.equal(
      tries.map(({ ended, work }) => [ended, work !== undefined]),
      [0, 1].map(() => ['handed-in', true]),
      id,
    );
    const [chosen, ...more] = tries.filter((one) => one.chosen === true);
    assert.equal([chosen?.work?.commit, more], [commit, []]);
    assert.is(rig.remote.git('show', `main:src/${id}.txt`), lead.repo.git('show', `${commit}:src/${id}.txt`));
  }
  assert.is(new Set(tasks.map(({ claimed_host: host }) => host)).size, 2);
});

test.run();
