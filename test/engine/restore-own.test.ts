import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toTaskStateDecision } from '../../lib/core/admission/make-decisions.ts';
import { finishKilledRefChanges } from '../../lib/git/refs/finish-killed-ref-changes.ts';
import type { AdmissionStore } from '../../lib/store/admission/admission-store.ts';
import { type RestoreOwnRequest, restoreOwnVersions } from '../../lib/store/admission/restore-own-versions.ts';
import { closeForged, forge, heedingOf, makeSession } from '../support/forged-session.ts';
import { alterTask } from '../support/tasks.ts';
import type { TestWorkshop } from '../support/workshop.ts';

test.after(closeForged);

// TRU-2: what this clone brings back of what another one wrote into its notes.

const script = fileURLToPath(new URL('./restore-process.js', import.meta.url));
const all: RestoreOwnRequest = { actor: 'Lea Lead', isSelected: () => true, check: () => undefined };

async function forgeAll(bench: TestWorkshop): Promise<void> {
  await forge(bench, { task: ['a', { status: 'dropped', reason: 'forged' }] });
  await forge(bench, { task: ['b', { status: 'dropped', reason: 'forged' }] });
  await forge(bench, { session: { state: 'ended', wave: 'done' } });
}

/** What the notes say of both tasks and of the session. */
async function saidOf({ said, session }: TestWorkshop): Promise<string> {
  const snapshot = await said.snapshot();
  return [...snapshot.tasksOf(session).map(({ status }) => status), snapshot.current?.state].join(' ');
}

test('TRU-2 a restore writes over nothing that another process makes of a task meanwhile', async () => {
  const bench = await makeSession();
  await forgeAll(bench);
  const store = await heedingOf(bench);
  let turns = 0;
  const meddling: AdmissionStore = {
    ...store,
    findLastTrustedTasks: async (tasks) => {
      const found = await store.findLastTrustedTasks(tasks);
      turns += 1;
      // Another process of this clone takes the task up, between the look at its history and the writing.
      if (turns === 1) {
        await bench.said.transact(() => {
          const own = [...found.values()].find(({ id }) => id === 'a');
          assert.ok(own !== undefined);
          const taken = alterTask(own, { status: 'dropped', reason: 'not wanted any more' });
          bench.context.decided.record([toTaskStateDecision(taken)]);
          return { changes: [{ subject: 'a: dropped', tasks: [taken] }], actor: 'Lea Lead' };
        });
      }
      return found;
    },
  };
  const restored = await restoreOwnVersions(meddling, bench.context.decided, all);
  assert.equal(restored, [bench.session, 'b']);
  assert.is(turns, 2);
  assert.is(await saidOf(bench), 'dropped failed active');
});

test('TRU-2 a restore that is to bring back something unknown brings back nothing', async () => {
  const bench = await makeSession();
  await forgeAll(bench);
  const before = await saidOf(bench);
  const check = (): void => {
    throw new Error('no such task');
  };
  const store = await heedingOf(bench);
  const error = await restoreOwnVersions(store, bench.context.decided, { ...all, check }).catch((one) => one);
  assert.is(error.message, 'no such task');
  assert.is(await saidOf(bench), before);
});

test('TRU-2 a restore that is killed has brought back all of it or nothing, and the next one all', async () => {
  const bench = await makeSession();
  const { commonDir } = bench.context.git.repository;
  const { repo } = bench;
  const own = await saidOf(bench);
  await forgeAll(bench);
  const forged = await saidOf(bench);
  const ends = new Set<string>();
  const restore = (env: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [script, commonDir], { env: { ...repo.env, ...env }, encoding: 'utf8' });
  let kills = 0;
  for (; ; kills += 1) {
    const run = restore({ FLAME_TEST_KILL_AT: `${kills + 1}` });
    await finishKilledRefChanges({ cwd: repo.path, env: repo.env }, commonDir);
    const said = await saidOf(bench);
    assert.ok(said === own || said === forged, said);
    ends.add(said);
    if (run.signal === null) {
      assert.is(run.status, 0, run.stderr);
      break;
    }
    assert.is(restore({}).status, 0);
    assert.is(await saidOf(bench), own);
    await forgeAll(bench);
  }
  assert.ok(kills >= 3, `${kills}`);
  assert.equal([...ends].sort(), [forged, own].sort());
});

test.run();
