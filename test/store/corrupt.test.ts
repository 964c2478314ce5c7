import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import {
  closeTestStores,
  createTasks,
  openTestStore,
  sampleSession,
  sampleSessionId,
  sampleTask,
  setStatus,
} from './sample.ts';

const ref = 'refs/blueflame/tasks';

for (const [name, breakIt, object] of [
  ['a blob', (repo: TestRepo) => repo.git('update-ref', ref, hash(repo, 'text')), /is a blob, not a commit/],
  [
    'an annotated tag',
    (repo: TestRepo) => {
      repo.git('tag', '-a', '-m', 'x', 't');
      repo.git('update-ref', ref, repo.git('rev-parse', 'refs/tags/t'));
    },
    /is a tag, not a commit/,
  ],
  [
    "a commit of the project's files",
    (repo: TestRepo) => repo.git('update-ref', ref, 'HEAD'),
    /has a tree that does not hold notes/,
  ],
  [
    'a missing object',
    (repo: TestRepo) => writeFileSync(join(repo.path, '.git', ref), `${'1'.repeat(40)}\n`),
    /1{40} is not an object git can find/,
  ],
  [
    'an empty file',
    (repo: TestRepo) => writeFileSync(join(repo.path, '.git', ref), ''),
    /an empty file is not an object/,
  ],
  ['garbage', (repo: TestRepo) => writeFileSync(join(repo.path, '.git', ref), 'garbage\n'), /garbage is not an object/],
  [
    'a packed missing object',
    (repo: TestRepo) => {
      repo.git('update-ref', '-d', ref);
      writeFileSync(join(repo.path, '.git/packed-refs'), `${'2'.repeat(40)} ${ref}\n`);
    },
    /2{40} is not an object git can find/,
  ],
  [
    'a tree with a missing folder',
    (repo: TestRepo) => {
      const folder = repo.git('rev-parse', `${ref}^{tree}:${firstFolder(repo)}`);
      damage(repo, folder, null);
    },
    /is damaged|is missing/,
  ],
  [
    'a damaged tree',
    (repo: TestRepo) => damage(repo, repo.git('rev-parse', `${ref}^{tree}`), 'no zlib'),
    /is damaged|is missing/,
  ],
] as const) {
  test(`STA-7 the ref is ${name}: a clear error, and nothing is reset`, async () => {
    const repo = makeRepo();
    const writer = await openTestStore(repo);
    await createTasks(writer, [sampleTask('task-001')]);
    await writer.close();
    breakIt(repo);
    const store = await openTestStore(repo);
    const error = await codeOf(store.snapshot());
    assert.is(error.code, 'state-corrupt', error.message);
    assert.match(error.message, object);
    assert.match(error.message, ref);
    assert.ok(error.hints.includes('git flame doctor'));
    assert.is((await codeOf(createTasks(store, [sampleTask('task-002')]))).code, 'state-corrupt');
    await store.close();
  });
}

const goodTask = (repo: TestRepo): Record<string, unknown> =>
  JSON.parse(repo.git('show', `${ref}:${pathOf(repo, 'task-002')}`));

for (const [name, body, message] of [
  ['is not JSON', () => 'status: done\n', /is not JSON/],
  ['is not UTF-8', () => Buffer.from([123, 0xff, 125]), /is not JSON/],
  ['is a list', () => '[]', /not a JSON object/],
  ['is empty', () => '', /is not JSON/],
  ['is of a newer version', () => '{"v": 2, "id": "task-002"}', /newer git-flame \(v 2/],
  ['has no version', () => '{"id": "task-002"}', /has no version/],
  ['names nothing', () => '{"v": 1}', /does not name what it is about/],
  [
    'is of another task',
    (repo: TestRepo) => JSON.stringify({ ...goodTask(repo), id: 'task-003' }),
    /not the anchor of/,
  ],
  [
    'does not match the schema',
    (repo: TestRepo) => JSON.stringify({ ...goodTask(repo), status: 'happy' }),
    /does not match its schema \(status: /,
  ],
  ['is missing', () => null, /is missing or damaged/],
  ['is damaged', () => 'DAMAGED', /is missing or damaged/],
] as const) {
  test(`STA-7 a note that ${name} is a problem of its own, the other tasks stay`, async () => {
    const repo = makeRepo();
    const writer = await openTestStore(repo);
    await createTasks(writer, [sampleTask('task-001'), sampleTask('task-002'), sampleTask('task-004')]);
    const content = body(repo);
    const blob = isDamage(content)
      ? repo.git('rev-parse', `${ref}:${pathOf(repo, 'task-002')}`)
      : putNote(repo, 'task-002', content);
    if (isDamage(content)) damage(repo, blob, content);
    const fresh = await openTestStore(repo);
    for (const store of isDamage(content) ? [fresh] : [fresh, writer]) await checkProblem(store, blob, message);
    await fresh.close();
    await writer.close();
  });
}

test('STA-7 an entry that is a folder in the place of a note is foreign, and kept', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  const foreign = `040000 tree ${repo.git('rev-parse', 'HEAD:src')}\tsrc\n`;
  const tree = mktree(repo, `${repo.git('ls-tree', ref)}\n${foreign}`);
  repo.git('update-ref', ref, repo.git('commit-tree', '-m', 'x', '-p', ref, tree));
  await setStatus(store, 'task-001', 'claimed');
  assert.equal((await store.snapshot()).problems, []);
  await store.close();
  assert.is(repo.git('show', `${ref}:src/a.txt`), 'a');
});

test('STA-7 two notes on one task are named, none is chosen', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001'), sampleTask('task-002')]);
  const key = pathOf(repo, 'task-002').replace('/', '');
  const twice = `100644 blob ${hash(repo, JSON.stringify({ ...goodTask(repo), status: 'done' }))}\t${key}\n`;
  const before = repo.git('rev-parse', ref);
  const tree = mktree(repo, `${repo.git('ls-tree', ref)}\n${twice}`);
  repo.git('update-ref', ref, repo.git('commit-tree', '-m', 'x', '-p', ref, tree));
  const snapshot = await store.snapshot();
  assert.equal(
    snapshot.tasksOf(sampleSessionId).map(({ id }) => id),
    ['task-001'],
  );
  assert.is(snapshot.problems.length, 2);
  assert.match(snapshot.problems[0]?.message ?? '', /one of several notes/);
  assert.is((await codeOf(createTasks(store, [sampleTask('task-002')]))).code, 'state-corrupt');
  // Taken back, the first one counts again.
  repo.git('update-ref', ref, before);
  assert.is((await store.snapshot()).tasksOf(sampleSessionId).length, 2);
  await store.close();
});

test('STA-7 a file where a folder of notes belongs stops only what would replace it', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  const folder = mktree(repo, `100644 blob ${hash(repo, 'x')}\tx\n`);
  const lines = repo.git('ls-tree', ref).replace(/040000 tree \w+\tanchors/, `100644 blob ${hash(repo, 'x')}\tanchors`);
  const tree = mktree(repo, `${lines}\n040000 tree ${folder}\tother\n`);
  repo.git('update-ref', ref, repo.git('commit-tree', '-m', 'x', '-p', ref, tree));
  assert.is((await store.snapshot()).tasksOf(sampleSessionId).length, 1);
  const error = await codeOf(createTasks(store, [sampleTask('task-002')]));
  await store.close();
  assert.is(error.code, 'state-corrupt');
  assert.match(error.message, /'anchors' where a folder/);
});

test('STA-7 a session that cannot be read does not hide the tasks', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  await store.transact(() => ({ actor: 'a', changes: [{ subject: 's', session: sampleSession() }] }));
  const sessions = 'refs/blueflame/sessions';
  const path = repo.git('ls-tree', '-r', '--name-only', sessions).split('\n')[0] ?? '';
  const folder = mktree(repo, `100644 blob ${hash(repo, '{}')}\t${path.slice(3)}\n`);
  const tree = mktree(repo, `040000 tree ${folder}\t${path.slice(0, 2)}\n`);
  repo.git('update-ref', sessions, repo.git('commit-tree', '-m', 'x', tree));
  const snapshot = await store.snapshot();
  await store.close();
  assert.is(snapshot.current, null);
  assert.equal(
    snapshot.problems.map(({ ref: name }) => name),
    [sessions],
  );
  assert.is(snapshot.tasksOf(sampleSessionId).length, 1);
});

async function checkProblem(store: Store, blob: string, message: RegExp): Promise<void> {
  const snapshot = await store.snapshot();
  assert.equal(
    snapshot.tasksOf(sampleSessionId).map(({ id }) => id),
    ['task-001', 'task-004'],
  );
  assert.equal(
    snapshot.problems.map((problem) => [problem.ref, problem.object]),
    [[ref, blob]],
  );
  assert.match(snapshot.problems[0]?.message ?? '', message);
  const error = await codeOf(createTasks(store, [sampleTask('task-002')]));
  assert.is(error.code, 'state-corrupt');
  assert.ok(error.message.includes(blob));
  await setStatus(store, 'task-001', 'claimed');
  await setStatus(store, 'task-001', 'pending');
}

async function codeOf(promise: Promise<unknown>): Promise<FlameError> {
  const error = await promise.then(
    () => null,
    (caught: unknown) => caught,
  );
  assert.instance(error, FlameError);
  return error as FlameError;
}

function isDamage(content: string | Buffer | null): content is 'DAMAGED' | null {
  return content === null || content === 'DAMAGED';
}

/** Overwrites a loose object; null empties it, as a power cut does. */
function damage(repo: TestRepo, oid: string, content: string | null): void {
  const path = join(repo.path, '.git/objects', oid.slice(0, 2), oid.slice(2));
  chmodSync(path, 0o644);
  writeFileSync(path, content ?? '');
}

function firstFolder(repo: TestRepo): string {
  return repo.git('ls-tree', '--name-only', ref).split('\n')[0] ?? '';
}

function pathOf(repo: TestRepo, id: string): string {
  const key = repo.git('rev-parse', `${ref}:anchors/${sampleSessionId}/${id}`);
  return `${key.slice(0, 2)}/${key.slice(2)}`;
}

/** Replaces a note by raw plumbing; returns the blob. */
function putNote(repo: TestRepo, id: string, content: string | Buffer): string {
  const blob = hash(repo, content);
  const [folder = '', name = ''] = pathOf(repo, id).split('/');
  const inner = repo
    .git('ls-tree', `${ref}:${folder}`)
    .split('\n')
    .map((line) => (line.endsWith(`\t${name}`) ? `100644 blob ${blob}\t${name}` : line));
  const subtree = mktree(repo, `${inner.join('\n')}\n`);
  const outer = repo
    .git('ls-tree', ref)
    .split('\n')
    .map((line) => (line.endsWith(`\t${folder}`) ? `040000 tree ${subtree}\t${folder}` : line));
  const tree = mktree(repo, `${outer.join('\n')}\n`);
  repo.git('update-ref', ref, repo.git('commit-tree', '-m', 'x', '-p', ref, tree));
  return blob;
}

function mktree(repo: TestRepo, lines: string): string {
  return pipe(repo, ['mktree'], lines);
}

function hash(repo: TestRepo, content: string | Buffer): string {
  return pipe(repo, ['hash-object', '-w', '--stdin'], content);
}

function pipe(repo: TestRepo, args: readonly string[], input: string | Buffer): string {
  return execFileSync('git', args, { cwd: repo.path, env: repo.env, input, encoding: 'utf8' }).trim();
}

test.after(closeTestStores);
test.run();
