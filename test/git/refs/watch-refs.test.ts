import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchRefs } from '../../../lib/git/refs/watch-refs.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';
import { until } from '../../support/until.ts';

// git is another process each time. The watch keeps no process alive; the waits of the tests do.

const ref = 'refs/blueflame/tasks';

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
  repo.git('update-ref', ref, next());
  await wait(500);
  assert.is(watch.count(), last, 'it has ended');
});

test('a change of tables of refs is reported', async () => {
  const commonDir = makeTempDir();
  const tables = join(commonDir, 'reftable');
  mkdirSync(tables);
  const list = join(tables, 'tables.list');
  writeFileSync(list, 'one.ref\n');
  const watch = watched(commonDir);
  writeFileSync(`${list}.lock`, 'two.ref\n');
  await wait(500);
  assert.is(watch.count(), 0, 'nothing moved yet');
  renameSync(`${list}.lock`, list);
  await until('it moved', () => watch.count() > 0);
  watch.end();
});

test('what git does beside these refs is not reported', async () => {
  const repo = makeRepo();
  repo.git('update-ref', ref, 'HEAD');
  const watch = watched(join(repo.path, '.git'));
  repo.write('file', 'text\n');
  repo.commit('a commit of the person');
  repo.git('gc', '--auto');
  await wait(500);
  assert.is(watch.count(), 0);
  watch.end();
});

test('where nothing can be watched it is reported each second, until something can', async () => {
  const commonDir = join(makeTempDir(), 'away');
  const watch = watched(commonDir);
  const before = performance.now();
  await until('two reports', () => watch.count() >= 2);
  assert.ok(performance.now() - before < 10_000);
  mkdirSync(join(commonDir, 'refs'), { recursive: true });
  const seen = watch.count();
  await until('it was tried again', () => watch.count() > seen);
  const tried = watch.count();
  await wait(2_500);
  assert.is(watch.count(), tried, 'it is watched');
  mkdirSync(join(commonDir, 'refs', 'blueflame'));
  await until('the folder is seen', () => watch.count() > tried);
  watch.end();
});

test.run();
