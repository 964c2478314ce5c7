import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
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

test('MRG-3 a group that comes in parts is named by its part, before it is rejected', async () => {
  const repo = await openWaiting({ a: 'ab', b: 'other', c: 'ab' });
  const shown = await flame(repo, ['review', '--changeset', 'other']);
  assert.match(`${shown.stdout}${shown.stderr}`, 'Sending this back also affects ab-2, stacked on it.');
});

test.run();
