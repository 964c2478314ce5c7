import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ListedProcess, listProcesses } from '../support/processes.ts';
import { makeRandom } from '../support/random.ts';
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
const script = fileURLToPath(new URL('./writer-process.js', import.meta.url));

for (const [writers, tasks] of [
  [4, 60],
  [8, 96],
] as const) {
  test(`STA-3 UNI-2 ${writers} processes race for ${tasks} tasks: none lost, none won twice`, async () => {
    const repo = makeRepo();
    const store = await openTestStore(repo);
    await createTasks(
      store,
      Array.from({ length: tasks }, (_, at) => sampleTask(`task-${at}`)),
    );
    const claims = await Promise.all(
      Array.from({ length: writers }, (_, at) => runToEnd(repo, ['claim', commonDir(repo), `writer-${at}`])),
    );
    const after = (await store.snapshot()).tasksOf(sampleSessionId);
    await store.close();
    const acknowledged = claims.flatMap((ids, at) => ids.map((id) => `${id} writer-${at}`));
    assert.is(acknowledged.length, tasks);
    assert.equal(acknowledged.sort(), after.map(({ id, claimed_by }) => `${id} ${claimed_by}`).sort());
    assert.ok(after.every(({ rev, status }) => rev === 2 && status === 'claimed'));
    // The history says the same: one commit for each claim, each on top of the one before.
    assert.is(repo.git('rev-list', '--count', '--first-parent', ref), String(tasks + 1));
    const subjects = repo.git('log', '--format=%s', '--grep=claimed by', ref).split('\n');
    assert.equal(subjects.map((line) => line.split(':')[0]).sort(), after.map(({ id }) => id).sort());
  });
}

test('STA-3 a writer killed at any moment leaves the old or the new state, and others go on', async () => {
  const repo = makeRepo();
  const random = makeRandom(7);
  const store = await openTestStore(repo);
  const names = ['task-a', 'task-b'];
  await createTasks(
    store,
    names.map((name) => sampleTask(name)),
  );
  await store.transact(() => ({
    actor: 'a',
    changes: [{ subject: 's', session: sampleSession(sampleSessionId, { objective: '0' }) }],
  }));
  let acknowledged = 0;
  for (let round = 0; round < 8; round += 1) {
    // One is killed while both write, in the middle of whatever it does after its k-th change.
    const [victim, other] = names.map((name) => startWriter(repo, ['count', commonDir(repo), name]));
    if (victim === undefined || other === undefined) throw new Error('no writer');
    await victim.waitFor(random.int(1, 4));
    await spin(random.int(0, 3_000));
    const atKill = other.count();
    kill(victim, round % 2 === 0);
    await other.waitFor(atKill + 2);
    kill(other, false);
    await Promise.all([victim.gone, other.gone]);
    await orphansGone(repo);
    acknowledged += victim.count() + other.count();
    const snapshot = await store.snapshot();
    const total = Number(snapshot.current?.objective);
    const newest = Math.max(...snapshot.tasksOf(sampleSessionId).map(({ reason }) => Number(reason)));
    assert.is(newest, total, 'task and session moved together');
    assert.ok(total >= acknowledged, `${acknowledged} were acknowledged, ${total} are there`);
    assert.ok(total <= acknowledged + 2 * (round + 1), 'at most the last change of each was not acknowledged');
    assert.is(repo.git('rev-list', '--count', ref), String(1 + total));
  }
  await setStatus(store, 'task-a', 'claimed');
  await store.close();
  assert.is(repo.git('fsck', '--no-dangling', '--no-progress'), '');
  assert.equal(readdirSync(join(commonDir(repo), 'refs/blueflame')).sort(), ['sessions', 'tasks']);
});

test('git children that die in between are started again', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  await setStatus(store, 'task-001', 'claimed');
  const before = (await store.snapshot()).tasksOf(sampleSessionId)[0]?.rev;
  for (const { pid } of gitProcesses(repo)) process.kill(pid, 'SIGKILL');
  await setStatus(store, 'task-001', 'done');
  const after = (await store.snapshot()).tasksOf(sampleSessionId)[0]?.rev;
  assert.is(before, 2);
  assert.is(after, 3);
  await store.close();
  assert.equal(gitProcesses(repo), [], 'close() ends them all');
});

test('what another process leaves half-written is no problem', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  const tip = repo.git('rev-parse', ref);
  writeFileSync(join(commonDir(repo), 'objects', tip.slice(0, 2), 'tmp_obj_half'), 'x');
  await setStatus(store, 'task-001', 'claimed');
  await store.close();
  assert.is(repo.git('rev-list', '--count', ref), '2');
});

interface Writer {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  readonly gone: Promise<void>;
  count(): number;
  /** Resolves when it has acknowledged this many changes. */
  waitFor(count: number): Promise<void>;
}

const writers: Writer[] = [];

function startWriter(repo: TestRepo, args: readonly string[]): Writer {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...repo.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const check of waiting) check();
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const waitFor = (count: number) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (lines.length >= count) resolve();
      };
      waiting.add(check);
      void gone.then(() => reject(new Error(`the writer ended after ${lines.length} changes`)));
      check();
    });
  const writer = { child, lines, gone, count: () => lines.length, waitFor };
  writers.push(writer);
  return writer;
}

async function runToEnd(repo: TestRepo, args: readonly string[]): Promise<readonly string[]> {
  const writer = startWriter(repo, args);
  await writer.gone;
  assert.is(writer.child.exitCode, 0);
  return writer.lines;
}

/** The process alone, or with its whole group, as closing a terminal does. */
function kill({ child }: Writer, withGroup: boolean): void {
  if (child.pid !== undefined) process.kill(withGroup ? -child.pid : child.pid, 'SIGKILL');
}

/** The git processes that work on a repository's state. */
function gitProcesses(repo: TestRepo): readonly ListedProcess[] {
  return listProcesses().filter(({ args }) => args.includes(`--git-dir=${commonDir(repo)}`));
}

/** git may still finish the transaction it got from a killed writer. */
async function orphansGone(repo: TestRepo): Promise<void> {
  while (gitProcesses(repo).some(({ parent }) => parent !== process.pid)) await spin(100);
}

/** Lets this many turns of the event loop pass: some moment within a change. */
async function spin(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function commonDir(repo: TestRepo): string {
  return join(repo.path, '.git');
}

test.after(async () => {
  for (const writer of writers)
    if (writer.child.exitCode === null && writer.child.signalCode === null) kill(writer, true);
  await closeTestStores();
});
test.run();
