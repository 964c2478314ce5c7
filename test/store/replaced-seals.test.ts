import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSessionId } from '../../lib/domain/ids.ts';
import type { SessionSignature } from '../../lib/domain/state/signatures.ts';
import { CatFile } from '../../lib/git/process/cat-file.ts';
import { findReplacedSignatures } from '../../lib/store/admission/note-history.ts';
import type { StoreOptions } from '../../lib/store/store-options.ts';
import { syncState } from '../../lib/store/sync/sync-state.ts';
import { saveSessionSignature } from '../../lib/store/write/notes-outside-state.ts';
import { makeRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';

// TRU-2: signatures that their clones replaced, as the history of their ref tells.

const session = parseSessionId('ses-20260206-143022-1a2b');

const optionsOf = ({ path, env }: TestRepo): StoreOptions => ({
  context: { cwd: path, env },
  commonDir: join(path, '.git'),
  objectFormat: 'sha1',
});

function sign(repo: TestRepo, place: string, signature: string): Promise<void> {
  const seal: SessionSignature = {
    ...{ repository: 'a'.repeat(40), by: 'lea@example.com', at: '2026-11-22T11:00:00.000Z' },
    ...{ place, decisions: [], settled: [], signature },
  };
  return saveSessionSignature(optionsOf(repo), session, seal);
}

async function replacedIn(repo: TestRepo): Promise<readonly string[]> {
  const options = optionsOf(repo);
  const catFile = new CatFile(options.context, options.commonDir);
  const found = await findReplacedSignatures({ ...options, catFile }, [session]);
  await catFile.close();
  return [...found].sort();
}

test('TRU-2 a signature that a clone replaced is known as such, also where it is put back', async () => {
  const repo = makeRepo();
  await sign(repo, 'laptop', 'first');
  assert.equal(await replacedIn(repo), []);
  await sign(repo, 'laptop', 'second');
  assert.equal(await replacedIn(repo), ['first']);
  await sign(repo, 'laptop', 'first');
  assert.ok((await replacedIn(repo)).includes('first'));
});

test('TRU-2 what a clone had not received yet was not replaced', async () => {
  const here = makeRepo();
  const remote = join(makeTempDir(), 'remote.git');
  here.git('init', '-q', '--bare', remote);
  here.git('remote', 'add', 'origin', remote);
  here.git('push', '-q', 'origin', 'main');
  const path = join(makeTempDir(), 'there');
  here.git('clone', '-q', remote, path);
  const there = openRepo(path, here.env);
  const sync = (repo: TestRepo) => syncState({ ...optionsOf(repo), remote: 'origin', isDry: false });
  await sign(here, 'laptop', 'first');
  await sync(here);
  await sync(there);
  await sign(there, 'desk', 'other');
  await sign(here, 'laptop', 'second');
  for (const repo of [here, there, here]) await sync(repo);
  for (const repo of [here, there]) {
    assert.is(repo.git('rev-parse', 'refs/blueflame/signatures'), here.git('rev-parse', 'refs/blueflame/signatures'));
    assert.equal(await replacedIn(repo), ['first']);
  }
});

test.run();
