import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseDefaultWorktreeDir } from '../../../lib/trust/repository/build-trust-items.ts';
import { makeRepo, makeTempDir, openRepo, type TestRepo } from '../../support/repo.ts';

const dataDir = makeTempDir();

function folderOf(root: string, commonDir = join(root, '.git')): string {
  return chooseDefaultWorktreeDir({ root, commonDir, dataDir });
}

const isElsewhere = (folder: string): boolean => folder.startsWith(join(dataDir, 'trees/'));

/** A repository as it is in the world: its git folder and two worktrees side by side. */
function makeBare(name: string): { readonly common: string; readonly trees: readonly TestRepo[] } {
  const place = makeTempDir();
  const common = join(place, name);
  openRepo(place).git('clone', '-q', '--bare', makeRepo().path, common);
  const trees = ['main', 'dev'].map((branch) => {
    const args = branch === 'main' ? [join(place, branch), branch] : ['-b', branch, join(place, branch)];
    openRepo(common).git('worktree', 'add', '-q', ...args);
    return openRepo(join(place, branch));
  });
  return { common, trees };
}

test('WTR-1: worktrees lie beside the repository, in a folder of its name', () => {
  const { path } = makeRepo({ name: 'shop' });
  assert.is(folderOf(path), `${path}.trees`);
  mkdirSync(`${path}.trees`);
  assert.is(folderOf(path), `${path}.trees`, 'also once it is there');
});

test('WTR-1: from each worktree of a repository it is the same folder, also of a bare one', () => {
  for (const [name, folder] of [
    ['.bare', 'bare.trees'],
    ['shop.git', 'shop.trees'],
    ['.git', 'git.trees'],
  ] as const) {
    const { common, trees } = makeBare(name);
    writeFileSync(join(dirname(common), 'note'), '');
    if (name === '.bare') writeFileSync(join(dirname(common), '.git'), 'gitdir: ./.bare\n');
    for (const { path } of trees) assert.is(folderOf(path, common), join(dirname(common), folder));
  }
});

test('WTR-1: where another repository would see the folder, or it is a link, it lies in the data of the user', () => {
  const superproject = makeRepo();
  superproject.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', makeRepo().path, 'part');
  const part = folderOf(join(superproject.path, 'part'), join(superproject.path, '.git/modules/part'));
  assert.ok(isElsewhere(part), part);

  const linked = makeRepo();
  symlinkSync(makeTempDir(), `${linked.path}.trees`);
  const file = makeRepo();
  writeFileSync(`${file.path}.trees`, '');
  const folders = [linked, file].map(({ path }) => folderOf(path));
  assert.ok(folders.every(isElsewhere), folders.join());
  assert.is.not(folders[0], folders[1], 'two repositories of one name have two folders');
});

test('WTR-1: where this user may not have the folder, it lies in the data of the user', () => {
  const { path } = makeRepo();
  // Root may write everywhere, and still takes no folder of another's.
  if (process.geteuid?.() === 0) {
    mkdirSync(`${path}.trees`);
    chownSync(`${path}.trees`, 65_534, 65_534);
  } else chmodSync(dirname(path), 0o555);
  assert.ok(isElsewhere(folderOf(path)));
  chmodSync(dirname(path), 0o755);
});

test.run();
