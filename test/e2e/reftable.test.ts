import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseUpdateRefRefusal } from '../../lib/git/refs/ref-transaction.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { gitSays, testWhere } from '../support/skip.ts';

const where = testWhere(test, gitSays('init', '--ref-format=reftable') !== '', 'a git that knows reftables');

/** A project after a session, its refs kept in reftables. */
async function worked(): Promise<TestRepo> {
  const repo = makeExecProject();
  repo.git('refs', 'migrate', '--ref-format=reftable');
  const plan = writePlan(repo, [{ id: 'a', script: 'echo a > a', locks: ['a'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  const run = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  return repo;
}

where('CFG-5 a session whose refs are kept in reftables', async () => {
  const repo = await worked();
  assert.is(repo.git('show', 'main:a'), 'a');
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
  assert.ok(existsSync(join(repo.path, '.git/reftable/tables.list')));
});

where('STA-7 a state ref in a reftable that leads to nothing is damage, and is brought back', async () => {
  const repo = await worked();
  const tip = repo.git('rev-parse', 'refs/blueflame/tasks');
  const before = repo.git('rev-parse', 'refs/blueflame/tasks@{1}');
  rmSync(join(repo.path, '.git/objects', tip.slice(0, 2), tip.slice(2)));
  const status = await flame(repo, ['status']);
  assert.is(status.code, 128);
  assert.match(status.stderr, new RegExp(`refs/blueflame/tasks.*${tip} is not an object git can find`));
  const repair = await flame(repo, ['doctor', '--repair']);
  assert.match(repair.stdout, new RegExp(`restored to ${before.slice(0, 10)}, the state in its reflog`));
  assert.is(repo.git('rev-parse', 'refs/blueflame/tasks'), before);
  assert.match((await flame(repo, ['status'])).stdout, /a {2}/);
});

where('STA-3 a lock that a dead git left on the reftable is told of and removed', async () => {
  const repo = await worked();
  const lock = join(repo.path, '.git/reftable/tables.list.lock');
  writeFileSync(lock, '');
  utimesSync(lock, 1_000, 1_000);
  const add = await flame(repo, ['task', 'add', 'More', '--locks', 'b']);
  assert.match(add.stderr, /Every ref is locked by .*tables\.list\.lock/);
  assert.match((await flame(repo, ['doctor', '--repair'])).stdout, /was left by a git that has ended/);
  assert.is(existsSync(lock), false);
  assert.is((await flame(repo, ['task', 'add', 'More', '--locks', 'b'])).code, 0);
});

test('STA-3 the lock of a reftable is waited for as that of a ref is', () => {
  const said = 'fatal: prepare: cannot lock references\n';
  assert.equal(parseUpdateRefRefusal(said, '/r/tables.list.lock'), {
    kind: 'locked',
    ref: 'Every ref',
    file: '/r/tables.list.lock',
  });
  assert.is(parseUpdateRefRefusal(said).kind, 'refused');
});

test.run();
