import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import { addToRecord } from '../../../lib/git/cells/cell-record.ts';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { hermeticEnv, makeTempDir } from '../../support/repo.ts';
import { agentCommits, agentWrites, codeOf, findDamage, openFixture } from '../cell-fixture.ts';

// A worktree that stays after its agent is the person's to look into, with the git they know.

/** git as the person types it there. */
function personGit(cell: CellWorktree, ...args: string[]): string {
  const options = { cwd: cell.path, env: { ...hermeticEnv }, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('git', args, options).trimEnd();
}

async function leftCell(objectFormat: 'sha1' | 'sha256' = 'sha1') {
  const opened = await openFixture({ objectFormat });
  const cell = await opened.port.addCellWorktree(opened.tree('worker-1'), opened.head);
  agentWrites(cell, 'src/a.txt', 'changed\n');
  const tip = agentCommits(cell, 'own work');
  agentWrites(cell, 'src/b.txt', 'not committed\n');
  await opened.port.handWorktreeToPerson(cell);
  await opened.port.handWorktreeToPerson(cell);
  return { ...opened, cell, tip };
}

for (const objectFormat of ['sha1', 'sha256'] as const) {
  test(`UNI-5 git works in a worktree that was left, and nothing of it is in the repository, ${objectFormat}`, async () => {
    const { repo, port, cell, tip, head } = await leftCell(objectFormat);
    assert.is(personGit(cell, 'status', '--short'), ' M src/a.txt\n?? src/b.txt');
    assert.is(personGit(cell, 'log', '--format=%H'), head);
    assert.match(personGit(cell, 'diff'), /\n-a\n\+changed$/);
    assert.is(repo.git('cat-file', '--batch-check', '--batch-all-objects').includes(tip), false);
    assert.is(findDamage(repo), '');
    assert.is(await port.cellHead(cell), tip, 'the tool still reads what the agent stood on');
    assert.equal(
      (await port.cellLeftovers(cell)).map(({ path }) => path),
      ['src/b.txt'],
    );
  });
}

test('what is accepted later, or rescued, is what the agent made', async () => {
  const { repo, port, cell, tip } = await leftCell();
  const commit = await port.rescueCell(cell, {
    message: 'rescue: x\n',
    author: 'worker-1 <w@agents.invalid>',
  });
  await port.importCell(cell, commit ?? tip);
  repo.git('update-ref', 'refs/heads/rescued', commit ?? '');
  assert.is(repo.git('rev-parse', 'rescued^'), tip);
  await port.discardCell(cell);
  assert.is(existsSync(cell.path), false);
  assert.is((await port.worktrees()).length, 1);
  assert.is(findDamage(repo), '');
});

test('a worktree whose work was accepted stands on it, so that only what was left out shows', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'src/a.txt', 'changed\n');
  const tip = agentCommits(cell, 'own work');
  agentWrites(cell, 'notes.txt', 'out of scope\n');
  await port.importCell(cell, tip);
  repo.git('update-ref', 'refs/heads/work', tip);
  await port.handWorktreeToPerson(cell);
  assert.is(personGit(cell, 'rev-parse', 'HEAD'), tip);
  assert.is(personGit(cell, 'status', '--short'), '?? notes.txt');
});

test('what the person stashes and commits there is theirs: a commit that no branch has is known', async () => {
  const { repo, port, cell, head } = await leftCell();
  assert.is(await port.personCommit(cell), null);
  personGit(cell, 'stash', '--include-untracked');
  assert.is(personGit(cell, 'status', '--short'), '');
  personGit(cell, 'stash', 'pop');
  assert.is(personGit(cell, 'status', '--short'), ' M src/a.txt\n?? src/b.txt');
  personGit(cell, 'commit', '-qam', 'taken over by hand');
  const own = personGit(cell, 'rev-parse', 'HEAD');
  repo.git('gc', '-q', '--prune=now');
  assert.is(await port.personCommit(cell), own);
  repo.git('branch', 'mine', own);
  assert.is(await port.personCommit(cell), null);
  assert.is(repo.git('log', '-1', '--format=%P', 'mine'), head);
});

test('the diff of what was left is written aside, as often as one likes', async () => {
  const { repo, port, cell } = await leftCell();
  agentWrites(cell, '.gitignore', '*.log\n');
  agentWrites(cell, 'noise.log', 'ignored\n');
  agentWrites(cell, 'prepared.txt', 'x\n');
  await port.recordPreparedPaths(cell, ['prepared.txt']);
  const before = repo.git('count-objects', '-v');
  const diff = await port.diffCell(cell);
  assert.is(await port.diffCell(cell), diff);
  assert.equal(
    [...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path),
    ['.gitignore', 'src/a.txt', 'src/b.txt'],
  );
  assert.match(diff, /\n\+not committed\n/);
  assert.is(repo.git('count-objects', '-v'), before);
  assert.is(personGit(cell, 'status', '--short'), ' M src/a.txt\n?? .gitignore\n?? prepared.txt\n?? src/b.txt');
});

test('a cell whose process is gone is left to the person by the next start', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'src/a.txt', 'changed\n');
  agentCommits(cell, 'own work');
  assert.throws(() => personGit(cell, 'status'), /bad object HEAD/, 'while its agent may be at work');
  const { pid, ...rest } = ownIdentity();
  addToRecord(join(repo.path, '.git/blueflame/cells/worker-1'), { owner: { ...rest, pid: 2 ** 22 + pid } });
  assert.equal(await port.removeUnfinishedCells(), []);
  assert.is(personGit(cell, 'status', '--short'), ' M src/a.txt');
});

test('a repository that was planted where a submodule is gets no git of the person', async () => {
  const { repo, port, tree } = await openFixture();
  repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD')},sub`);
  repo.git('commit', '-qm', 'a submodule');
  const cell = await port.addCellWorktree(tree('worker-1'), parseObjectId(repo.git('rev-parse', 'HEAD')));
  mkdirSync(join(cell.path, 'sub/.git'), { recursive: true });
  agentWrites(cell, 'sub/.git/config', '[core]\n\tfsmonitor = touch /tmp/pwned\n');
  assert.is(await codeOf(port.handWorktreeToPerson(cell)), 'cell-submodule');
  assert.is(port.isWorktreeHandedToPerson(cell), false);
  assert.throws(() => personGit(cell, 'status'), /not a git repository/);
});

/** A cell whose base lost the submodule `sub`, in whose place its agent put a repository that has git run a program. */
async function plantedCell() {
  const opened = await openFixture();
  const { repo, port, tree } = opened;
  repo.git('update-index', '--add', '--cacheinfo', `160000,${opened.head},sub`);
  repo.git('commit', '-qm', 'a submodule');
  const withSub = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.git('rm', '-q', '--cached', 'sub');
  repo.git('commit', '-qm', 'no submodule any more');
  const start = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const cell = await port.addCellWorktree(tree('worker-1'), start);
  const mark = join(repo.path, '.git/planted-ran');
  repo.git('init', '-q', join(cell.path, 'sub'));
  repo.git('-C', join(cell.path, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'x');
  agentWrites(cell, 'sub/.git/config', `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${mark}; false"\n`);
  return { ...opened, cell, start, withSub, mark };
}

test('a commit with a submodule that the agent named is not what git stands on in a worktree that was left', async () => {
  const { port, cell, start, withSub, mark, tree } = await plantedCell();
  writeFileSync(join(cell.quarantine.worktreeGitDir, 'HEAD'), `${withSub}\n`);
  assert.is(await codeOf(port.handWorktreeToPerson(cell)), 'cell-not-left');
  assert.throws(() => personGit(cell, 'status', '--short'));
  assert.is(existsSync(mark), false, 'a program of the agent ran');
  rmSync(join(cell.path, 'sub'), { recursive: true });
  const other = await port.addCellWorktree(tree('worker-3'), start);
  writeFileSync(join(other.quarantine.worktreeGitDir, 'HEAD'), `${withSub}\n`);
  await port.handWorktreeToPerson(other);
  assert.is(personGit(other, 'rev-parse', 'HEAD'), start);
});

test('what lies where the accepted commit has a submodule is refused as where the start has one', async () => {
  const { repo, port, cell, start, withSub, mark } = await plantedCell();
  const tip = repo.git('commit-tree', '-p', start, '-m', 'again', `${withSub}^{tree}`);
  writeFileSync(join(cell.quarantine.worktreeGitDir, 'HEAD'), `${tip}\n`);
  await port.importCell(cell, parseObjectId(tip));
  assert.is(await codeOf(port.handWorktreeToPerson(cell)), 'cell-submodule');
  const init = { message: 'rescue: x\n', author: 'worker-1 <w@agents.invalid>' };
  assert.is(await codeOf(port.rescueCell(cell, init)), 'cell-submodule');
  assert.is(await codeOf(port.cellLeftovers(cell)), 'cell-submodule');
  assert.is(existsSync(mark), false, 'a program of the agent ran');
});

test('what lies where the base has a submodule and the start has none is in no diff', async () => {
  const { repo, port, start, withSub, tree } = await plantedCell();
  const cell = await port.addCellWorktree(tree('worker-2'), start, undefined, withSub);
  assert.is(repo.git('rev-parse', `${cell.base}:sub`).length, 40);
  assert.match(await port.diffCell(cell), /^-Subproject commit/m);
  agentWrites(cell, 'sub/planted.txt', 'x\n');
  assert.is(await codeOf(port.diffCell(cell)), 'cell-submodule');
});

test('a commit that the agent named is none that a person made', async () => {
  const { repo, port, head, tree } = await openFixture();
  const dangling = repo.git('commit-tree', '-p', head, '-m', 'dangling', 'HEAD^{tree}');
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  writeFileSync(join(cell.quarantine.worktreeGitDir, 'HEAD'), `${dangling}\n`);
  await port.handWorktreeToPerson(cell);
  assert.is(await port.personCommit(cell), null);
  assert.is(personGit(cell, 'rev-parse', 'HEAD'), head);
});

test('what was accepted and what the person finds elsewhere is none of their commits there', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'src/a.txt', 'changed\n');
  const tip = agentCommits(cell, 'own work');
  await port.importCell(cell, tip);
  await port.handWorktreeToPerson(cell);
  assert.is(await port.personCommit(cell), null, 'no ref has it, and no person made it');
  personGit(cell, 'commit', '-q', '--allow-empty', '-m', 'by hand');
  assert.is(await port.personCommit(cell), personGit(cell, 'rev-parse', 'HEAD'));
  personGit(cell, 'checkout', '-q', '--detach', repo.git('commit-tree', '-m', 'root', 'HEAD^{tree}'));
  assert.is(await port.personCommit(cell), null);
});

/** Where git would run what an agent planted, no git works there, and the tool reads it all the same. */
async function requireNotLeft(
  plant: (fixture: Awaited<ReturnType<typeof openFixture>>, cell: CellWorktree, run: string) => void,
): Promise<void> {
  const opened = await openFixture();
  const cell = await opened.port.addCellWorktree(opened.tree('worker-1'), opened.head);
  const ran = join(makeTempDir('ran'), 'it');
  agentWrites(cell, 'src/a.txt', 'changed\n');
  plant(opened, cell, `touch ${ran}`);
  assert.is(await codeOf(opened.port.handWorktreeToPerson(cell)), 'cell-not-left');
  await opened.port.handWorktreeToPerson(cell);
  assert.is(opened.port.isWorktreeHandedToPerson(cell), false);
  assert.throws(() => personGit(cell, 'status'), /not a git repository/);
  assert.throws(() => personGit(cell, 'add', '-A'), /not a git repository/);
  assert.is(existsSync(ran), false);
  await opened.port.discardCell(cell);
  assert.is(existsSync(cell.path), false);
}

test('UNI-5 a repository that an agent made within its worktree is not handed to the git of the person', () =>
  requireNotLeft((_, cell, run) => {
    agentWrites(cell, 'deep/er/.git/config', `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${run}; false"\n`);
  }));

test('UNI-5 hooks that the person has in each work tree are not run as an agent left them', () =>
  requireNotLeft(({ repo }, cell, run) => {
    repo.git('config', 'core.hooksPath', '.husky/_');
    agentWrites(cell, '.husky/_/post-index-change', `#!/bin/sh\n${run}\n`);
    chmodSync(join(cell.path, '.husky/_/post-index-change'), 0o755);
  }));

for (const [key, value] of [
  ['filter.fmt.clean', './scripts/fmt'],
  ['filter.fmt.process', 'npx format'],
  ['diff.words.textconv', 'scripts/fmt'],
  ['core.fsmonitor', '.git-hooks/watch'],
] as const)
  test(`UNI-5 a program of ${key} is not run as an agent left it: ${value}`, () =>
    requireNotLeft(({ repo }, cell, run) => {
      repo.git('config', key, value);
      agentWrites(cell, '.gitattributes', '* filter=fmt diff=words\n');
      agentWrites(cell, 'scripts/fmt', `#!/bin/sh\n${run}\ncat\n`);
    }));

test('settings that start nothing of a work tree are in no way', async () => {
  const { repo, port, tree, head } = await openFixture();
  repo.git('config', 'filter.lfs.process', 'git-lfs filter-process');
  repo.git('config', 'filter.lfs.clean', 'git-lfs clean -- %f');
  repo.git('config', 'core.hooksPath', '/nowhere/hooks');
  repo.git('config', 'core.fsmonitor', 'false');
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'src/a.txt', 'changed\n');
  await port.handWorktreeToPerson(cell);
  assert.is(port.isWorktreeHandedToPerson(cell), true);
  assert.is(personGit(cell, 'status', '--short'), ' M src/a.txt');
});

test('the diff of what was left takes patterns that the start has already', async () => {
  const { repo, port, tree } = await openFixture();
  repo.write('.gitignore', 'a*b*c*d*e*f\n');
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'patterns');
  const cell = await port.addCellWorktree(tree('worker-1'), parseObjectId(repo.git('rev-parse', 'HEAD')));
  agentWrites(cell, 'src/a.txt', 'changed\n');
  assert.match(await port.diffCell(cell), /\n\+changed\n/);
  agentWrites(cell, 'src/.gitignore', 'g*h*i*j*k*l\n');
  assert.is(await codeOf(port.diffCell(cell)), 'cell-too-much');
});

test.run();
