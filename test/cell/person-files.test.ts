import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import { freshAgentId } from '../support/agent-id.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openCellFixture } from './fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

inCell("what the person installed to load their own files loads the worktree's in a cell", async () => {
  const { repo, port, runner } = await openCellFixture();
  try {
    repo.write('.gitignore', '.trees/\nnode_modules\n.venv\n');
    repo.write('packages/shop/index.js', "module.exports = 'committed';\n");
    repo.write('packages/shop/local.txt', 'committed');
    repo.git('add', '-A');
    repo.git('commit', '-qm', 'a workspace');
    const at = parseObjectId(repo.git('rev-parse', 'HEAD'));
    const cell = await port.addCellWorktree(join(repo.path, '.trees', freshAgentId()), at);
    // What npm does for a workspace: packages of packages, a link to the package itself.
    mkdirSync(join(repo.path, 'packages/shop/node_modules/dep'), { recursive: true });
    writeFileSync(join(repo.path, 'packages/shop/node_modules/dep/index.js'), "module.exports = 'dep';\n");
    mkdirSync(join(repo.path, 'node_modules'));
    symlinkSync('../packages/shop', join(repo.path, 'node_modules/shop'));
    // What pip install -e does: the path of the sources.
    mkdirSync(join(repo.path, '.venv'));
    writeFileSync(join(repo.path, '.venv/pyvenv.cfg'), '');
    writeFileSync(join(repo.path, '.venv/sources.pth'), join(repo.path, 'packages'));
    writeFileSync(join(repo.path, 'packages/shop/local.txt'), 'changed by the person');
    writeFileSync(join(cell.path, 'packages/shop/index.js'), "module.exports = 'of the agent';\n");

    const run = async (command: string): Promise<string> => {
      const request = { command, phase: 'diagnostics', worktree: cell, timeoutMs: 60_000, label: 'test' } as const;
      return (await runner.runCommand(request)).output.trim();
    };
    assert.is(await run(`node -p "require('shop')"`), 'of the agent');
    const { path } = repo;
    assert.is(await run(`cat "$(cat '${path}/.venv/sources.pth')/shop/index.js"`), "module.exports = 'of the agent';");
    assert.is(await run(`cat '${path}/packages/shop/local.txt'`), 'committed');
    assert.is(await run(`cd '${path}/packages/shop' && node -p "require('./node_modules/dep')"`), 'dep');
    assert.match(await run(`touch '${path}/new' '${path}/packages/new'`), /Read-only/);
  } finally {
    repo.remove();
  }
});

test.run();
