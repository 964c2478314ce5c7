import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

// Locks below which no agent could write are refused whichever way a task comes.

function withDetours(): TestRepo {
  const repo = makeExecProject();
  symlinkSync('src', join(repo.path, 'way'));
  for (const path of ['lib/basic', 'vendor/other'])
    repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD')},${path}`);
  repo.write('vendor/README.md', 'beside it\n');
  repo.git('add', 'way', 'vendor/README.md');
  repo.git('commit', '-qm', 'a link and submodules');
  for (const path of ['lib/basic', 'vendor/other']) mkdirSync(join(repo.path, path), { recursive: true });
  return repo;
}

const refused = [
  ['way/a.txt', 'goes through the symbolic link way'],
  ['./way//a.txt', 'goes through the symbolic link way'],
  ['way/', 'goes through the symbolic link way'],
  ['{src,way}/*.txt', 'goes through the symbolic link way'],
  ['lib/basic', 'is in the submodule lib/basic'],
  ['lib/**', 'covers only the submodule lib/basic'],
  ['*/basic', 'covers only the submodule lib/basic'],
] as const;

test('UNI-5 a task that a person adds has no lock through a link or into a submodule', async () => {
  const repo = withDetours();
  for (const [lock, why] of refused) {
    const added = await flame(repo, ['task', 'add', 'One', '--locks', lock]);
    assert.is.not(added.code, 0, lock);
    assert.match(added.stderr, why);
  }
  const fine = await flame(repo, ['task', 'add', 'One', '--locks', 'way', '--locks', 'vendor/**', '--id', 'a']);
  assert.is(fine.code, 0, fine.stderr);
  const beside = await flame(repo, ['task', 'add', 'Two', '--locks', 'way/b.txt', '--id', 'b']);
  assert.match(beside.stderr, 'goes through the symbolic link way');

  for (const [lock, why] of refused) {
    const edited = await flame(repo, ['task', 'edit', 'a', '--locks', lock]);
    assert.is.not(edited.code, 0, lock);
    assert.match(edited.stderr, why);
  }
});

test('UNI-5 a plan file is refused for such locks before anything is stored, and in its preview', async () => {
  const repo = withDetours();
  for (const [lock, why] of refused) {
    const plan = writePlan(repo, [{ id: 'a', script: 'true', locks: [lock] }]);
    for (const more of [[], ['--dry-run']]) {
      const planned = await flame(repo, ['plan', 'x', '--from', plan, ...more]);
      assert.is.not(planned.code, 0, lock);
      assert.match(planned.stderr, why);
    }
  }
  const sessions = await flame(repo, ['sessions', '--json']);
  assert.not.match(sessions.stdout, /s-[0-9a-f]/, sessions.stdout);
});

test('UNI-5 a plan that is edited at its gate is held against the same', async () => {
  const repo = withDetours();
  const plan = writePlan(repo, [{ id: 'a', script: 'true', locks: ['src/a.txt'] }]);
  writePlan(repo, [{ id: 'a', script: 'true', locks: ['way/a.txt'] }], 'edited.yml');
  const decisions = writeDecisions(repo, { plan: [{ edit: 'edited.yml' }, 'approve'] });
  const planned = await flame(repo, ['plan', 'x', '--from', plan, '--decisions-file', decisions]);
  assert.is.not(planned.code, 0, planned.stderr);
  assert.match(planned.stderr, 'goes through the symbolic link way');
});

test('UNI-5 a task below a link that came with the work it builds on is refused before it is worked on', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const plan = writePlan(repo, [
    { id: 'a', script: 'ln -s src way', locks: ['way'] },
    { id: 'b', script: 'echo b > way/b.txt', locks: ['way/b.txt'], needs: ['a'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['run', 'x', '--from', plan, '--decisions-file', decisions]);
  assert.match(run.stderr, 'Its lock way/b.txt goes through the symbolic link way', run.stderr);
});

test.run();
