import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import isomorphic from 'isomorphic-git';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import { makeRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import {
  closeTestStores,
  createTasks,
  openTestStore,
  sampleSession,
  sampleSessionId,
  sampleTask,
  sampleVerdict,
  setStatus,
} from './sample.ts';

const ref = 'refs/blueflame/tasks';

test('UNI-1 stock git alone reads every task and verdict', async () => {
  const repo = makeRepo();
  const commit = repo.git('rev-parse', 'HEAD');
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001'), sampleTask('task-002')]);
  await setStatus(store, 'task-002', 'claimed');
  await store.transact(() => ({
    actor: 'a',
    changes: [
      { subject: 'judged', verdict: sampleVerdict(commit) },
      { subject: 'session: started', session: sampleSession() },
    ],
  }));
  const tasks = (await store.snapshot()).tasksOf(sampleSessionId);
  await store.close();
  for (const task of tasks) {
    const key = repo.git('rev-parse', `${ref}:anchors/${sampleSessionId}/${task.id}`);
    assert.is(repo.git('cat-file', 'blob', key), `blueflame task ${sampleSessionId}/${task.id}`);
    const body = repo.git('show', `${ref}:${key.slice(0, 2)}/${key.slice(2)}`);
    assert.equal(JSON.parse(body), task);
    assert.is(body.split('\n')[1], '  "v": 1,');
  }
  assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
  // `git notes` refuses refs outside refs/notes; a symbolic ref is the door.
  repo.git('symbolic-ref', 'refs/notes/v', 'refs/blueflame/validations');
  assert.match(repo.git('notes', '--ref=v', 'show', commit), /"status": "pass"/);
  repo.git('config', 'notes.displayRef', 'refs/blueflame/validations');
  assert.match(repo.git('log', '-1', commit), /Notes \(blueflame\/validations\):/);
});

test('an independent implementation of git reads what was written', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(
    store,
    Array.from({ length: 300 }, (_, at) => sampleTask(`task-${at}`)),
  );
  await setStatus(store, 'task-7', 'claimed');
  await store.close();
  const gitdir = join(repo.path, '.git');
  const [last] = await isomorphic.log({ fs, gitdir, ref });
  assert.is(last?.commit.message.split('\n')[0], 'task-7: pending -> claimed');
  assert.is(last?.commit.author.email, 'lea@example.com');
  const oid = last?.oid ?? '';
  const path = `anchors/${sampleSessionId}/task-7`;
  const anchor = await isomorphic.readBlob({ fs, gitdir, oid, filepath: path });
  assert.is(Buffer.from(anchor.blob).toString(), `blueflame task ${sampleSessionId}/task-7\n`);
  const filepath = `${anchor.oid.slice(0, 2)}/${anchor.oid.slice(2)}`;
  const note = await isomorphic.readBlob({ fs, gitdir, oid, filepath });
  assert.is(JSON.parse(Buffer.from(note.blob).toString()).status, 'claimed');
});

for (const [name, split] of [
  ['flat', []],
  ['2/38', [2]],
  ['2/2/36', [2, 2]],
  ['2/2/2/34', [2, 2, 2]],
] as const) {
  test(`a tree divided as ${name} is read, and rewritten without loss`, async () => {
    const repo = makeRepo();
    const store = await openTestStore(repo);
    const ids = Array.from({ length: 30 }, (_, at) => `task-${String(at).padStart(2, '0')}`);
    await createTasks(
      store,
      ids.map((id) => sampleTask(id)),
    );
    divideAnew(repo, split);
    await setStatus(store, 'task-03', 'claimed');
    await createTasks(store, [sampleTask('task-99')]);
    const known = (await store.snapshot()).tasksOf(sampleSessionId);
    await store.close();
    const other = await openTestStore(repo);
    const snapshot = await other.snapshot();
    await other.close();
    const tasks = snapshot.tasksOf(sampleSessionId);
    assert.equal(tasks, known);
    assert.equal(
      tasks.map(({ id }) => id),
      [...ids, 'task-99'],
    );
    assert.is(tasks[3]?.status, 'claimed');
    assert.equal(snapshot.problems, []);
    assert.is(listNotePaths(repo).length, 31);
    assert.is(repo.git('show', `${ref}:format`), 'kept');
    assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
  });
}

test('a tree that `git notes` rewrote is read, its anchors are kept', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const ids = Array.from({ length: 20 }, (_, at) => `task-${String(at).padStart(2, '0')}`);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  const key = repo.git('rev-parse', `${ref}:anchors/${sampleSessionId}/task-05`);
  repo.git('symbolic-ref', 'refs/notes/t', ref);
  const body = JSON.stringify(sampleTask('task-05', { status: 'blocked', rev: 2 }), null, 2);
  repo.git('notes', '--ref=t', 'add', '-f', '-m', body, key);
  repo.git('notes', '--ref=t', 'prune');
  repo.git('symbolic-ref', '--delete', 'refs/notes/t');
  assert.ok(
    listNotePaths(repo).some((path) => !path.includes('/')),
    'git made the tree flat',
  );
  await setStatus(store, 'task-05', 'pending');
  const snapshot = await store.snapshot();
  await store.close();
  assert.equal(
    snapshot.tasksOf(sampleSessionId).map(({ id }) => id),
    ids,
  );
  assert.is(snapshot.tasksOf(sampleSessionId)[5]?.rev, 3);
  assert.equal(snapshot.problems, []);
});

test('keys this version does not know stay in a note that is rewritten', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  replaceNote(repo, 'task-001', (text) => text.replace('\n}', ',\n  "later": { "x": [1] }\n}'));
  await setStatus(store, 'task-001', 'claimed');
  const snapshot = await store.snapshot();
  await store.close();
  assert.equal(snapshot.problems, []);
  const body = JSON.parse(repo.git('show', `${ref}:${pathOf(repo, 'task-001')}`));
  assert.is(body.status, 'claimed');
  assert.equal(body.later, { x: [1] });
  assert.is(Object.keys(body).at(-1), 'later');
});

test('a link to an anchor that another tool dropped comes back with the next change', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001'), sampleTask('task-002')]);
  writeTree(repo, (paths) => paths.filter((line) => !line.includes('anchors/')));
  assert.is((await store.snapshot()).tasksOf(sampleSessionId).length, 2);
  await setStatus(store, 'task-001', 'claimed');
  await store.close();
  assert.is(repo.git('ls-tree', '-r', '--name-only', `${ref}:anchors`), `${sampleSessionId}/task-001`);
});

test('a linked worktree works on the same state', async () => {
  const repo = makeRepo();
  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked);
  const [here, there] = [await openTestStore(repo), await openTestStore(repo, { cwd: linked })];
  await createTasks(there, [sampleTask('task-001')]);
  assert.is((await here.snapshot()).tasksOf(sampleSessionId).length, 1);
  await setStatus(here, 'task-001', 'claimed');
  assert.is((await there.snapshot()).tasksOf(sampleSessionId)[0]?.status, 'claimed');
  await here.close();
  await there.close();
});

test('a repository of sha256 objects', async () => {
  const repo = makeRepo({ objectFormat: 'sha256' });
  const commit = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const store = await openTestStore(repo, { objectFormat: 'sha256' });
  // Enough for a pack, then loose objects.
  await createTasks(
    store,
    Array.from({ length: 300 }, (_, at) => sampleTask(`task-${at}`)),
  );
  await setStatus(store, 'task-9', 'claimed');
  await store.transact(() => ({
    actor: 'a',
    changes: [{ subject: 'judged', verdict: sampleVerdict(commit) }],
  }));
  await store.close();
  const other = await openTestStore(repo, { objectFormat: 'sha256' });
  const snapshot = await other.snapshot();
  await other.close();
  assert.is(snapshot.tasksOf(sampleSessionId).length, 300);
  assert.is(snapshot.verdictsOn(commit).length, 1);
  assert.equal(snapshot.problems, []);
  assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
});

test('a clone that borrows its objects (alternates)', async () => {
  const origin = makeRepo();
  const first = await openTestStore(origin);
  await createTasks(first, [sampleTask('task-001'), sampleTask('task-002')]);
  await first.close();
  const path = join(makeTempDir(), 'clone');
  const mirror = 'remote.origin.fetch=+refs/blueflame/*:refs/blueflame/*';
  origin.git('clone', '-q', '--shared', '-c', mirror, origin.path, path);
  const clone = openRepo(path);
  const store = await openTestStore(clone);
  await setStatus(store, 'task-001', 'claimed');
  const tasks = (await store.snapshot()).tasksOf(sampleSessionId);
  await store.close();
  assert.equal(
    tasks.map(({ status }) => status),
    ['claimed', 'pending'],
  );
});

test('packed refs and garbage collection between changes', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001'), sampleTask('task-002')]);
  repo.git('pack-refs', '--all', '--prune');
  await setStatus(store, 'task-001', 'claimed');
  repo.git('reflog', 'expire', '--expire=now', '--all');
  repo.git('gc', '-q', '--prune=now');
  await setStatus(store, 'task-001', 'done');
  repo.git('repack', '-q', '-a', '-d');
  repo.git('pack-refs', '--all', '--prune');
  await setStatus(store, 'task-002', 'claimed');
  assert.is((await store.log({})).length, 4);
  await store.close();
  const other = await openTestStore(repo);
  const snapshot = await other.snapshot();
  await other.close();
  assert.equal(
    snapshot.tasksOf(sampleSessionId).map(({ status }) => status),
    ['done', 'claimed'],
  );
});

/** Moves every note of the tree to another division, by plumbing alone, and adds a foreign entry. */
function divideAnew(repo: TestRepo, split: readonly number[]): void {
  const format = repo.git('hash-object', '-w', writeTemp(repo, 'kept\n'));
  writeTree(repo, (lines) => [
    ...lines.map((line) => {
      const [head = '', path = ''] = line.split('\t');
      return path.startsWith('anchors/') ? line : `${head}\t${divide(path.replaceAll('/', ''), split)}`;
    }),
    `100644 blob ${format}\tformat`,
  ]);
}

function divide(key: string, split: readonly number[]): string {
  const [first, ...rest] = split;
  return first === undefined ? key : `${key.slice(0, first)}/${divide(key.slice(first), rest)}`;
}

/** Commits an edited list of the tree's files, through an index of its own. */
function writeTree(repo: TestRepo, edit: (lines: readonly string[]) => readonly string[]): void {
  const lines = edit(repo.git('ls-tree', '-r', ref).split('\n'));
  const env = { ...repo.env, GIT_INDEX_FILE: join(makeTempDir(), 'index') };
  const run = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: repo.path, env, input, encoding: 'utf8' }).trim();
  run(['update-index', '--index-info'], `${lines.join('\n')}\n`);
  const commit = run(['commit-tree', '-p', ref, '-m', 'rewritten', run(['write-tree'])]);
  run(['update-ref', ref, commit]);
}

function pathOf(repo: TestRepo, id: string): string {
  const key = repo.git('rev-parse', `${ref}:anchors/${sampleSessionId}/${id}`);
  return listNotePaths(repo).find((path) => path.replaceAll('/', '') === key) ?? '';
}

function replaceNote(repo: TestRepo, id: string, edit: (text: string) => string): void {
  const path = pathOf(repo, id);
  const blob = repo.git('hash-object', '-w', writeTemp(repo, edit(repo.git('show', `${ref}:${path}`))));
  writeTree(repo, (lines) => lines.map((line) => (line.endsWith(`\t${path}`) ? `100644 blob ${blob}\t${path}` : line)));
}

function listNotePaths(repo: TestRepo): string[] {
  const paths = repo.git('ls-tree', '-r', '--name-only', ref).split('\n');
  return paths.filter((path) => /^[0-9a-f/]{40,}$/.test(path));
}

function writeTemp(repo: TestRepo, text: string): string {
  const path = join(repo.path, '.git', 'temp-content');
  fs.writeFileSync(path, text);
  return path;
}

test.after(closeTestStores);
test.run();
