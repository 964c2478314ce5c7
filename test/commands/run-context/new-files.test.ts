import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trackFiles } from '../../../lib/commands/run-context/new-files.ts';
import type { TrackedFiles } from '../../../lib/engine/run-context.ts';

const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'new-files-'));

function write(root: string, path: string, text = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const track = (worktree: string) => trackFiles({ worktree, matches: (name) => name.endsWith('.info') });

async function listPaths({ readNew }: TrackedFiles): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { path } of readNew()) paths.push(path);
  return paths;
}

test('RVW-1 only plain files below a worktree are read, those near its root first', async () => {
  const [root, outside] = [makeFolder(), makeFolder()];
  const files = await track(root);
  for (const path of ['b/c/deep.info', 'b/mine.info', 'a.info', 'b/other.txt', 'node_modules/x/a.info', '.git/a.info'])
    write(root, path);
  write(root, 'a\nb "é"/x.info');
  write(root, `${'long/'.repeat(120)}far.info`);
  write(outside, 'theirs.info');
  symlinkSync(join(outside, 'theirs.info'), join(root, 'link.info'));
  symlinkSync(outside, join(root, 'folder'));
  symlinkSync('/dev/zero', join(root, 'zero.info'));
  execFileSync('mkfifo', [join(root, 'pipe.info')]);
  mkdirSync(join(root, 'folder.info'));
  write(root, 'huge.info');
  truncateSync(join(root, 'huge.info'), 2 ** 40);
  assert.equal(await listPaths(files), ['a.info', 'a\nb "é"/x.info', 'b/mine.info', 'b/c/deep.info']);
});

test('RVW-1 files from before are left out until they are written again, also those of this second', async () => {
  const root = makeFolder();
  for (const name of ['kept', 'written', 'replaced', 'longer']) write(root, `${name}.info`);
  utimesSync(join(root, 'written.info'), 1, 1);
  const files = await track(root);
  write(root, 'written.info');
  write(root, 'other');
  renameSync(join(root, 'other'), join(root, 'replaced.info'));
  appendFileSync(join(root, 'longer.info'), 'more');
  write(root, 'new.info');
  assert.equal(await listPaths(files), ['longer.info', 'new.info', 'replaced.info', 'written.info']);
  assert.equal(await listPaths(files), []);
  write(root, 'kept.info', 'longer than its name');
  assert.equal(await listPaths(files), ['kept.info']);
});

test('RVW-1 no more than 64 MiB are read', async () => {
  const root = makeFolder();
  const files = await track(root);
  for (const name of ['1', '2', '3', '4', '5']) {
    write(root, `${name}.info`, '');
    truncateSync(join(root, `${name}.info`), 15 * 1024 * 1024);
  }
  assert.equal(await listPaths(files), ['1.info', '2.info', '3.info', '4.info']);
});

test('RVW-1 a folder that a link replaces while it is read leads nowhere', async () => {
  const [root, outside] = [makeFolder(), makeFolder()];
  const { readNew } = await track(root);
  write(root, 'a.info');
  write(root, 'b/x.info');
  write(outside, 'x.info', 'secret');
  const texts: string[] = [];
  for await (const { text } of readNew()) {
    if (texts.length === 0) {
      renameSync(join(root, 'b'), join(root, 'was'));
      symlinkSync(outside, join(root, 'b'));
    }
    texts.push(text);
  }
  assert.equal(texts, ['a.info', '']);
});

test.run();
