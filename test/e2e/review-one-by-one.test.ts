import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

/** Works upon each other in a file with room between them, each in the group it is given; they wait for review. */
async function openWaiting(groups: Readonly<Record<string, string>>): Promise<TestRepo> {
  const repo = makeExecProject();
  const ids = Object.keys(groups);
  repo.write('f', ids.map((id) => `# ${id}\n\n\n`).join(''));
  repo.commit('room');
  const plan = Object.entries(groups).map(
    ([id, group]): ScriptTask => ({
      ...{ id, group, title: `Say ${id}`, locks: ['f'] },
      script: `sed -i 's/^# ${id}$/&\\n${id}/' f`,
    }),
  );
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['run', 'x', '--from', writePlan(repo, plan), '--decisions-file', decisions]);
  assert.is(run.code, 2, run.stderr);
  return repo;
}

async function changesets(repo: TestRepo): Promise<readonly string[]> {
  const [status] = (await flameJson(repo, ['status'])).lines;
  const all = status?.changesets as readonly { id: string; state: string }[];
  return all.map(({ id, state }) => `${id} ${state}`);
}

function text(repo: TestRepo): string {
  return repo.git('show', 'main:f').replace(/\n+/g, ' ');
}

test('MRG-4 STK-3 what waits beside rejected work is decided by a command of its own, with no wave in between', async () => {
  const repo = await openWaiting({ a: 'a', b: 'b', c: 'c' });
  const rejected = await flame(repo, ['review', '--changeset', 'b', '--reject', 'not this']);
  assert.is(rejected.code, 0, rejected.stderr);
  assert.equal(await changesets(repo), ['1-a waiting', '1-b rejected', '1-c void']);
  const approved = await flame(repo, ['review', '--changeset', 'a', '--approve']);
  assert.is(approved.code, 0, approved.stderr);
  assert.is(text(repo), '# a a # b # c');
  const validated = await flame(repo, ['validate']);
  assert.match(validated.stderr, 'c was put on other ground, since b is requeued: its own change stays');
});

test('LND-1 what stands on a landing that is taken back waits no more, also by way of others', async () => {
  const repo = await openWaiting({ a: 'a', b: 'b', c: 'c' });
  await flame(repo, ['review', '--changeset', 'a', '--approve']);
  assert.equal(await changesets(repo), ['1-a landed', '1-b waiting', '1-c waiting']);
  const asked = await flame(repo, ['undo', '--dry-run']);
  assert.match(asked.stdout, 'Put on what remains, and back to a worker only where it conflicts: b, c');
  const undone = await flame(repo, ['undo', '--requeue', 'once more']);
  assert.is(undone.code, 0, undone.stderr);
  assert.equal(await changesets(repo), ['1-a rejected', '1-b void', '1-c void']);
  assert.match((await flame(repo, ['status'])).stdout, 'next: git flame validate');
});

test('MRG-3 a group that comes in parts is named by its part, before it is rejected', async () => {
  const repo = await openWaiting({ a: 'ab', b: 'other', c: 'ab' });
  const shown = await flame(repo, ['review', '--changeset', 'other']);
  assert.match(`${shown.stdout}${shown.stderr}`, 'Rejecting this takes it out from under ab-2.');
});

test.run();
