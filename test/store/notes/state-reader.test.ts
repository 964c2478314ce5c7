import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CatFile } from '../../../lib/git/process/cat-file.ts';
import { openStateSnapshot } from '../../../lib/store/notes/indexed-state.ts';
import { StateReader } from '../../../lib/store/notes/state-reader.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';
import { createTasks, openTestStore, sampleSessionId, sampleTask, setStatus } from '../sample.ts';

function openReader(repo: TestRepo) {
  const catFile = new CatFile({ cwd: repo.path, env: repo.env }, join(repo.path, '.git'));
  const commonDir = join(repo.path, '.git');
  return { reader: new StateReader({ catFile, commonDir, objectFormat: 'sha1' }), catFile };
}

test('a state that is about to be written is taken where the refs are found at it, and no other', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  const [one, other] = [openReader(repo), openReader(repo)];
  const before = await one.reader.read();
  await setStatus(store, 'task-001', 'dropped');
  const next = await other.reader.read();
  assert.is.not(next, before);
  one.reader.expect(next);
  assert.is(await one.reader.read(), next, 'what is expected was read again');

  // One that never came to be, or that is no more.
  one.reader.expect(before);
  assert.is(await one.reader.read(), next);
  one.reader.expect(next);
  await createTasks(store, [sampleTask('task-002')]);
  const later = await one.reader.read();
  assert.equal(
    openStateSnapshot(later)
      .tasksOf(sampleSessionId)
      .map(({ id, status }) => [id, status]),
    [
      ['task-001', 'dropped'],
      ['task-002', 'pending'],
    ],
  );
  await Promise.all([store.close(), one.catFile.close(), other.catFile.close()]);
});

test.run();
