import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markSkipWorktree } from '../../../lib/git/cells/hide-contents.ts';
import { makeRepo } from '../../support/repo.ts';

test('SBX-7: settings that are looked away from start no filter of the repository', async () => {
  const repo = makeRepo();
  try {
    repo.write('.gitattributes', '* filter=mark\n');
    repo.write('.mcp.json', '{}\n');
    repo.write('young.txt', 'young\n');
    repo.git('add', '-A');
    repo.git('commit', '-qm', 'files');
    // As young as any index that is written from now on: git compares such files again.
    const later = new Date('2100-01-01');
    utimesSync(join(repo.path, 'young.txt'), later, later);
    repo.git('update-index', '--refresh');
    const mark = join(repo.path, '.git', 'ran');
    repo.git('config', 'filter.mark.clean', `touch '${mark}'; cat`);
    await markSkipWorktree({ cwd: repo.path, env: repo.env }, [join(repo.path, '.mcp.json')]);
    assert.not.ok(existsSync(mark));
    assert.is(repo.git('ls-files', '-t', '.mcp.json'), 'S .mcp.json');
  } finally {
    repo.remove();
  }
});

test.run();
