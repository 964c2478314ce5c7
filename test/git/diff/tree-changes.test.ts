import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

async function changes(repo: TestRepo, base: string, tip: string): Promise<readonly string[]> {
  const git = await openGit({ cwd: repo.path, env: repo.env });
  try {
    const found = await git.treeChanges(parseObjectId(base), parseObjectId(tip));
    return found.map(({ path, mode, blob }) => `${mode} ${blob} ${path}`);
  } finally {
    await git.close();
  }
}

/** The same as stock git has it, in git's order. */
function gitChanges(repo: TestRepo, base: string, tip: string): readonly string[] {
  const tokens = repo.git('diff-tree', '-r', '-z', '--no-renames', base, tip).split('\0');
  return tokens.flatMap((token, index) => {
    if (index % 2 === 1 || token === '') return [];
    const [, mode = '', , blob = '', letter = ''] = token.split(' ');
    return [`${mode} ${letter === 'D' ? null : blob} ${tokens[index + 1]}`];
  });
}

for (const objectFormat of ['sha1', 'sha256'] as const) {
  test(`what differs between two commits is what git diff-tree says (${objectFormat})`, async () => {
    const repo = makeRepo({ objectFormat });
    repo.write('a', 'file\n');
    repo.write('a-b', 'x\n');
    repo.write('deep/er/und/ümlaut\n"quoted"', 'x\n');
    repo.write('deep/same', 'x\n');
    repo.write('folder/one', 'x\n');
    repo.write('run.sh', 'x\n');
    const base = repo.commit('base');
    rmSync(join(repo.path, 'a'));
    rmSync(join(repo.path, 'folder'), { recursive: true });
    writeFileSync(join(repo.path, 'folder'), 'now a file\n');
    mkdirSync(join(repo.path, 'a'));
    repo.write('a/inside', 'x\n');
    repo.write('a.b', 'x\n');
    repo.write('deep/er/und/ümlaut\n"quoted"', 'y\n');
    repo.git('update-index', '--chmod=+x', 'run.sh');
    repo.git('update-index', '--add', '--cacheinfo', `160000,${base},sub`);
    repo.git('add', '-A', 'a', 'a.b', 'folder', 'deep');
    repo.git('commit', '-qm', 'tip');
    const tip = repo.git('rev-parse', 'HEAD');
    const found = await changes(repo, base, tip);
    assert.equal(found, gitChanges(repo, base, tip));
    assert.is(found.length, 8);
    assert.equal(await changes(repo, tip, base), gitChanges(repo, tip, base));
    assert.equal(await changes(repo, tip, tip), []);
  });
}

test.run();
