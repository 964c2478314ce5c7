import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

/** Two tasks about one file, each to start from the base. */
async function makeProject(): Promise<TestRepo> {
  const repo = makeExecProject({ config: { concurrency: { overlap: 'separate' } } });
  repo.write('price.js', 'one\n');
  repo.commit('price');
  const tasks = ['task-003', 'task-007'].map((id) => ({ id, script: 'true', locks: ['price.js'] }));
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const argv = ['plan', 'Prices', '--from', writePlan(repo, tasks), '--decisions-file', decisions];
  assert.is((await flame(repo, argv)).code, 0);
  return repo;
}

/** Claims a task by hand and commits a text of the file; returns the worktree. */
async function takeUp(repo: TestRepo, task: string, text: string): Promise<string> {
  const claimed = await flameJson(repo, ['task', 'claim', task]);
  assert.is(claimed.code, 0, claimed.stderr);
  const tree = `${claimed.lines[0]?.worktree}`;
  writeFileSync(join(tree, 'price.js'), text);
  repo.git('-C', tree, 'commit', '-qam', `chore: ${text.trim()}`);
  return tree;
}

test('status and show say what conflicts with work by hand, and with what landed, before it is merged', async () => {
  const repo = await makeProject();
  await takeUp(repo, 'task-003', 'three\n');
  const submitted = await flame(repo, ['task', 'submit', 'task-003']);
  assert.is(submitted.code, 0, submitted.stderr);
  const before = await flameJson(repo, ['status']);
  assert.is(before.lines[0]?.conflicts_ahead, undefined);
  const tree = await takeUp(repo, 'task-007', 'seven\n');
  const sentence = 'task-003 and task-007 conflict in price.js (task-007 is still working)';
  const status = await flame(repo, ['status']);
  assert.match(status.stdout, `Conflicts ahead\n  ${sentence}\n`);
  const shown = await flame(repo, ['show', 'task-007']);
  assert.ok(shown.stdout.replace(/\s+/g, ' ').includes(sentence));
  const oid = (revision: string): string => repo.git('rev-parse', revision);
  const { lines } = await flameJson(repo, ['status']);
  const [found] = lines;
  const tip = repo.git('-C', tree, 'rev-parse', 'HEAD');
  const branch = repo.git('for-each-ref', '--format=%(objectname)', 'refs/heads/blueflame/*/task-003');
  assert.equal(found?.conflicts_ahead, {
    found: [
      {
        one: { task: 'task-003', commit: branch, at_work: false },
        other: { task: 'task-007', commit: tip, at_work: true },
        paths: ['price.js'],
        unrelated: false,
      },
    ],
    untried_pairs: 0,
    unseen_tasks: 0,
  });
  repo.git('worktree', 'remove', tree);
  repo.write('price.js', 'landed\n');
  repo.commit('landed meanwhile');
  const after = await flame(repo, ['status']);
  assert.match(after.stdout, 'task-003 conflicts with the current main in price.js\n');
  assert.match(after.stdout, sentence);
  const handedIn = await flame(repo, ['task', 'submit', 'task-007']);
  assert.match(handedIn.stderr, 'Ahead: task-003 and task-007 conflict in price.js.\n');
  assert.is(oid('main'), oid('HEAD'));
});

test('DSK-5: changesets that exclude each other are named at the gate before either is decided', async () => {
  const repo = makeExecProject({ config: { concurrency: { overlap: 'separate' } } });
  const tasks = ['one', 'two', 'zoo'].map((id) => {
    const file = id === 'zoo' ? 'src/zoo.txt' : 'src/price.txt';
    return { id, script: `echo ${id} > ${file}`, locks: [file], group: id };
  });
  const from = ['--from', writePlan(repo, tasks)];
  const planned = await flame(repo, ['plan', 'Prices', ...from, '--dry-run']);
  assert.match(planned.stdout, 'two starts separately from one');
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const argv = ['run', 'Prices', ...from, '--decisions-file', decisions];
  const waits = await flame(repo, argv);
  assert.is(waits.code, 2, waits.stderr);
  const text = waits.stderr.replace(/\s+/g, ' ');
  assert.match(text, 'Changeset one waits for a person.');
  assert.match(text, 'It conflicts with two in src/price.txt: only one of the two can land');
  assert.not.match(text, 'with zoo');
  const approve = writeDecisions(repo, { changesets: ['approve'] });
  const next = await flameJson(repo, ['review', '--decisions-file', approve]);
  assert.is(next.code, 2);
  const [error = ''] = next.stderr.split('\n').filter((line) => line.startsWith('{"error"'));
  assert.equal(JSON.parse(error).error.data, {
    gate: 'changesets',
    excluding: [{ group: 'one', is_approved: true, paths: ['src/price.txt'] }],
  });
  assert.match(
    (await flame(repo, ['review'])).stderr.replace(/\s+/g, ' '),
    'It conflicts with one, which is already approved, in src/price.txt',
  );
});

test.run();
