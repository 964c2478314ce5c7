import { once } from 'node:events';
import { mkdirSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchRefs } from '../../../lib/git/refs/watch-refs.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';
import { until } from '../../support/until.ts';

// git is another process each time. The watch keeps no process alive; the waits of the tests do. What is never reported
// is proved by a clock that stands until it is put forward.

const ref = 'refs/blueflame/tasks';

test.after.each(() => mock.timers.reset());

/** Changes something, and resolves once the system has reported it to all who watch that folder. */
async function seenIn(folder: string, change: () => unknown): Promise<void> {
  const watcher = watch(folder);
  const seen = once(watcher, 'change');
  change();
  await seen;
  await nextTurn();
  watcher.close();
}

/** A watch that counts what it reports. */
function watched(commonDir: string): { readonly count: () => number; readonly end: () => void } {
  let count = 0;
  const end = watchRefs(commonDir, () => {
    count += 1;
  });
  return { count: () => count, end };
}

test('a ref that another process moves is reported, wherever git keeps it', async () => {
  const repo = makeRepo();
  const watch = watched(join(repo.path, '.git'));
  const next = (): string => repo.git('commit-tree', '-m', `${watch.count()}`, 'HEAD^{tree}');
  const reported = async (what: string, change: () => unknown): Promise<void> => {
    const before = watch.count();
    change();
    await until(what, () => watch.count() > before);
  };
  await reported('the first, whose folder is not there', () => repo.git('update-ref', ref, next()));
  await reported('it moved', () => repo.git('update-ref', ref, next()));
  await reported('it was packed, and its folder went', () => repo.git('pack-refs', '--all', '--prune'));
  await reported('it moved after that', () => repo.git('update-ref', ref, next()));
  await reported('it was removed', () => repo.git('update-ref', '-d', ref));
  await reported('it came again', () => repo.git('update-ref', ref, next()));
  watch.end();
  const last = watch.count();
  mock.timers.enable({ apis: ['setTimeout'] });
  await seenIn(join(repo.path, '.git/refs/blueflame'), () => repo.git('update-ref', ref, next()));
  mock.timers.tick(10_000);
  assert.is(watch.count(), last, 'it has ended');
});

test('a change of tables of refs is reported', async () => {
  const commonDir = makeTempDir();
  const tables = join(commonDir, 'reftable');
  mkdirSync(tables);
  const list = join(tables, 'tables.list');
  writeFileSync(list, 'one.ref\n');
  mock.timers.enable({ apis: ['setTimeout'] });
  const watch = watched(commonDir);
  await seenIn(tables, () => writeFileSync(`${list}.lock`, 'two.ref\n'));
  mock.timers.tick(10_000);
  assert.is(watch.count(), 0, 'nothing moved yet');
  await seenIn(tables, () => renameSync(`${list}.lock`, list));
  mock.timers.tick(10_000);
  assert.is(watch.count(), 1, 'it moved');
  watch.end();
});

test('what git does beside these refs is not reported', async () => {
  const repo = makeRepo();
  repo.git('update-ref', ref, 'HEAD');
  mock.timers.enable({ apis: ['setTimeout'] });
  const watch = watched(join(repo.path, '.git'));
  repo.write('file', 'text\n');
  await seenIn(join(repo.path, '.git'), () => {
    repo.commit('a commit of the person');
    repo.git('gc', '--auto');
  });
  mock.timers.tick(10_000);
  assert.is(watch.count(), 0);
  watch.end();
});

test('where nothing can be watched it is reported each second, until something can', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const commonDir = join(makeTempDir(), 'away');
  const refs = join(commonDir, 'refs');
  const watch = watched(commonDir);
  mock.timers.tick(999);
  assert.is(watch.count(), 0);
  mock.timers.tick(1);
  mock.timers.tick(1_000);
  assert.is(watch.count(), 2);
  mkdirSync(refs, { recursive: true });
  mock.timers.tick(1_000);
  assert.is(watch.count(), 3, 'it was tried again');
  mock.timers.tick(10_000);
  assert.is(watch.count(), 3, 'it is watched');
  await seenIn(refs, () => mkdirSync(join(refs, 'blueflame')));
  mock.timers.tick(1_000);
  assert.is(watch.count(), 4, 'the folder is seen');
  watch.end();
});

test.run();
