import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { flame } from '../support/flame.ts';
import { makeRepo, openRepo, type TestRepo } from '../support/repo.ts';
import { createTasks, openTestStore, sampleTask } from './sample.ts';
import { addClone, change, makeClones, stateOf, sync, taskIn } from './sync-clones.ts';

async function sharedProject(): Promise<{ readonly remote: TestRepo; readonly a: TestRepo }> {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a] = clones;
  for (const name of ['one', 'two', 'three']) {
    a.write(`src/${name}.txt`, `${name}\n`);
    a.commit(`add ${name}`);
  }
  a.git('push', '-q', 'origin', 'main');
  await change(a, 'task-001', { title: 'first title' });
  await change(a, 'task-001', { status: 'done', commit: a.git('rev-parse', 'HEAD') as never });
  await sync(a);
  remote.git('config', 'uploadpack.allowFilter', 'true');
  return { remote, a };
}

const layouts: readonly { readonly name: string; readonly options: readonly string[] }[] = [
  { name: 'shallow', options: ['--depth=1'] },
  { name: 'partial', options: ['--filter=blob:none'] },
  { name: 'treeless', options: ['--filter=tree:0'] },
  { name: 'bare', options: ['--bare'] },
  { name: 'single-branch', options: ['--single-branch', '--no-tags'] },
  { name: 'mirror', options: ['--mirror'] },
];

for (const { name, options } of layouts) {
  test(`STA-4 a ${name} clone shares like any other`, async () => {
    const { remote, a } = await sharedProject();
    const clone = addClone(remote, join(remote.path, '..', `other-${name}`), ...options);
    await sync(clone);
    await change(clone, 'task-002', { title: `from the ${name} clone` });
    await change(a, 'task-001', { title: 'second title' });
    await change(a, 'task-002', { priority: 1 });
    await sync(a);
    const result = await sync(clone);
    assert.equal(result.conflicts, []);
    await sync(a);
    assert.is(stateOf(clone), stateOf(a));
    assert.is(stateOf(remote), stateOf(a));
    assert.equal(
      [(await taskIn(a, 'task-002')).title, (await taskIn(a, 'task-002')).priority],
      [`from the ${name} clone`, 1],
    );
    // The state is whole, history and all, whatever the clone left out.
    clone.git('-c', 'remote.origin.url=/nonexistent', 'log', '-p', '--format=%s', 'refs/blueflame/tasks');
    const isShallow = clone.git('rev-parse', '--is-shallow-repository');
    assert.is(isShallow, String(name === 'shallow'));
  });
}

test('a clone whose state is cut off says so and how to mend it', async () => {
  const { remote, a } = await sharedProject();
  const clone = addClone(remote, join(remote.path, '..', 'cut'), '--depth=1', '--mirror', '--no-single-branch');
  await change(clone, 'task-002', { title: 'from the clone' });
  // Back before what the clone has, and on from there: what both have in common, the clone can't see.
  for (const repo of [remote, a]) repo.git('update-ref', 'refs/blueflame/tasks', 'refs/blueflame/tasks~1');
  await change(a, 'task-001', { title: 'second title' });
  a.git('push', '-q', 'origin', 'refs/blueflame/tasks');
  const before = stateOf(clone);
  const error = await sync(clone).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError);
  assert.equal([error.code, error.hints], ['state-shallow', ['git fetch --unshallow origin']]);
  assert.is(stateOf(clone), before);
});

test('git push --mirror and --all leave a state that others can still sync with', async () => {
  const { remote, a } = await sharedProject();
  const clone = addClone(remote, join(remote.path, '..', 'other'));
  await sync(clone);
  await change(clone, 'task-002', { title: 'from the clone' });
  clone.git('push', '-q', '--mirror', 'origin');
  await sync(a);
  assert.is((await taskIn(a, 'task-002')).title, 'from the clone');
  assert.not.match(stateOf(a), /remotes/);
  a.git('push', '-q', '--all', 'origin');
  assert.is(
    (await sync(clone)).refs.every(({ outcome }) => outcome === 'same' || outcome === 'absent'),
    true,
  );
});

test('a remote of another object format is refused in the words of git', async () => {
  const { clones, remote } = await makeClones(['task-001']);
  const [a] = clones;
  const other = join(remote.path, '..', 'sha256.git');
  a.git('init', '-q', '--bare', '--object-format=sha256', other);
  a.git('remote', 'set-url', 'origin', other);
  const error = await sync(a).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError);
  assert.is(error.code, 'push-failed');
  assert.match(error.lines.join(), /hash algorithm|object format/);
});

test('sha256 clones share too', async () => {
  const seed = makeRepo({ objectFormat: 'sha256' });
  const bare = join(seed.path, '..', 'remote.git');
  seed.git('clone', '-q', '--bare', seed.path, bare);
  const repos = ['a', 'b'].map((name) => {
    seed.git('clone', '-q', bare, join(seed.path, '..', name));
    return openRepo(join(seed.path, '..', name));
  });
  for (const [at, repo] of repos.entries()) {
    const store = await openTestStore(repo, { objectFormat: 'sha256' });
    await createTasks(store, [sampleTask(`task-00${at}`)]);
    await store.close();
    assert.is((await flame(repo, ['sync'])).code, 0);
  }
  const [a, b] = repos;
  assert.ok(a !== undefined && b !== undefined);
  assert.match((await flame(a, ['sync'])).stdout, /^Received from origin: tasks$/m);
  assert.is(stateOf(a), stateOf(b));
});

test.run();
