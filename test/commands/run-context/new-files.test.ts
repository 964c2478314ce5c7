import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readNewFiles } from '../../../lib/commands/run-context/new-files.ts';

const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'new-files-'));

function write(root: string, path: string, text = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function listPaths(worktree: string, since = 0): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { path } of readNewFiles({ worktree, since, matches: (name) => name.endsWith('.info') }))
    paths.push(path);
  return paths;
}

test('RVW-1 only plain files below a worktree are read, those near its root first', async () => {
  const [root, outside] = [makeFolder(), makeFolder()];
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
  assert.equal(await listPaths(root), ['a.info', 'a\nb "é"/x.info', 'b/mine.info', 'b/c/deep.info']);
});

test('RVW-1 files from before are left out, and no more than 64 MiB are read', async () => {
  const root = makeFolder();
  write(root, 'old.info');
  utimesSync(join(root, 'old.info'), 1, 1);
  for (const name of ['1', '2', '3', '4', '5']) {
    write(root, `${name}.info`, '');
    truncateSync(join(root, `${name}.info`), 15 * 1024 * 1024);
  }
  assert.equal(await listPaths(root, 2_000), ['1.info', '2.info', '3.info', '4.info']);
});

test('RVW-1 a folder that a link replaces while it is read leads nowhere', async () => {
  const [root, outside] = [makeFolder(), makeFolder()];
  write(root, 'a.info');
  write(root, 'b/x.info');
  write(outside, 'x.info', 'secret');
  const texts: string[] = [];
  for await (const { text } of readNewFiles({ worktree: root, since: 0, matches: (name) => name.endsWith('.info') })) {
    if (texts.length === 0) {
      renameSync(join(root, 'b'), join(root, 'was'));
      symlinkSync(outside, join(root, 'b'));
    }
    texts.push(text);
  }
  assert.equal(texts, ['a.info', '']);
});

test.run();
