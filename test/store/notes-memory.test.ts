import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MemoryEntry, type MemoryProvider, memoryEntrySchema } from '../../lib/domain/state/memory.ts';
import { openMemoryInGitNotes } from '../../lib/store/notes-memory.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { editByHand, noteAt } from '../support/state-by-hand.ts';
import { testSession } from '../support/tasks.ts';
import { commonDirOf, makeClones, sync } from './sync-clones.ts';

const person = 'Lea Lead <lea@example.com>';

test('MEM-1 entries are notes of one commit; saving the same again changes nothing', async () => {
  const repo = makeRepo();
  const memory = memoryOf(repo);
  assert.equal(await memory.load(), []);
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
  await memory.save([entry('task-001'), entry('task-002'), entry(null)], person);
  const tip = repo.git('rev-parse', 'refs/blueflame/memory');
  await memory.save([entry('task-001'), entry(null)], person);
  assert.is(repo.git('rev-parse', 'refs/blueflame/memory'), tip);
  await memory.save([entry('task-001', { notes: 'it was not so' })], person);
  const known = await memory.load();
  assert.equal(known.map(({ task, rev, notes }) => `${task} ${rev} ${notes}`).sort(), [
    'null 1 done',
    'task-001 2 it was not so',
    'task-002 1 done',
  ]);
  const log = repo.git('log', '--format=%s|%(trailers:key=Session,valueonly,separator=)', 'refs/blueflame/memory');
  assert.equal(log.split('\n'), [
    `memory: 1 entry of ${testSession}|${testSession}`,
    `memory: 3 entries of ${testSession}|${testSession}`,
  ]);
  repo.git('gc', '-q', '--prune=now');
  repo.git('fsck', '--strict');
  const key = repo.git('rev-parse', `refs/blueflame/memory:anchors/${testSession}/task/task-002`);
  const body = repo.git('show', `refs/blueflame/memory:${key.slice(0, 2)}/${key.slice(2)}`);
  assert.is(JSON.parse(body).title, 'Do task-002');
});

test('MEM-1 sessions that end at the same moment lose nothing of each other', async () => {
  const repo = makeRepo();
  const ids = Array.from({ length: 8 }, (_, at) => `task-00${at}`);
  await Promise.all(ids.map((id) => memoryOf(repo).save([entry(id)], person)));
  const known = await memoryOf(repo).load();
  assert.equal(known.map(({ task }) => task).sort(), ids);
});

test('MEM-2 one entry that cannot be read hides no other; a ref that is none is named', async () => {
  const repo = makeRepo();
  const memory = memoryOf(repo);
  await memory.save([entry('task-001'), entry('task-002')], person);
  editByHand(repo, 'refs/blueflame/memory', noteAt(repo, 'refs/blueflame/memory', `${testSession}/task/task-001`), '{');
  assert.equal(
    (await memory.load()).map(({ task }) => task),
    ['task-002'],
  );
  const blob = repo.git('hash-object', '-w', 'README.md');
  repo.git('update-ref', 'refs/blueflame/memory', blob);
  const error = await memory.load().catch((thrown: unknown) => thrown);
  assert.match(String(error), `refs/blueflame/memory can't be used: ${blob} is a blob`);
});

test('MEM-1 sync carries memory; what two clones remember of one task is the later word', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b, c] = clones;
  await memoryOf(a).save([entry('task-001'), entry('task-002')], person);
  await memoryOf(b).save([entry('task-001', { notes: 'later', at: '2026-03-02T00:00:00.000Z' })], person);
  for (const repo of [a, b, c, a]) await sync(repo);
  const tips = clones.map((repo) => repo.git('rev-parse', 'refs/blueflame/memory'));
  assert.is(new Set(tips).size, 1);
  const known = await memoryOf(c).load();
  assert.equal(known.map(({ task, notes }) => `${task} ${notes}`).sort(), ['task-001 later', 'task-002 done']);
});

function memoryOf(repo: TestRepo): MemoryProvider {
  return openMemoryInGitNotes({
    context: { cwd: repo.path, env: repo.env },
    commonDir: commonDirOf(repo),
    objectFormat: 'sha1',
  });
}

function entry(task: string | null, change: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    ...memoryEntrySchema.parse({
      ...{ v: 1, rev: 1, kind: task === null ? 'summary' : 'result', session: testSession, task },
      ...{ title: `Do ${task}`, status: 'merged', paths: ['src/a.ts'], notes: 'done', attempts: [] },
      ...{ cost_usd: 0.1, tokens: 100, at: '2026-03-01T00:00:00.000Z' },
    }),
    ...change,
  };
}

test.run();
