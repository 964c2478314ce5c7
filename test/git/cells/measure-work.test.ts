import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkedWorkLimits } from '../../../lib/domain/config/checked-work-limits.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import type { GitPort } from '../../../lib/domain/ports/git-port.ts';
import { quarantineVariables } from '../../../lib/git/objects/git-access.ts';
import { type OpenOptions, openGit } from '../../../lib/git/open-git.ts';
import { hermeticEnv, makeRepo, type TestRepo } from '../../support/repo.ts';
import { agentCommits, agentGit, agentWrites } from '../cell-fixture.ts';

// Each of these, let through, keeps git or this program busy for hours or takes all memory: a regression shows as
// a file that is ended at the runner's limit.

interface Opened {
  readonly port: GitPort;
  readonly cell: CellWorktree;
  /** git in the cell with something on its stdin; returns what it prints. */
  readonly feed: (input: string, ...args: string[]) => string;
}

async function open(options: OpenOptions = {}, prepare: (repo: TestRepo) => void = () => undefined): Promise<Opened> {
  const repo = makeRepo();
  prepare(repo);
  const port = await openGit({ cwd: repo.path, env: repo.env }, undefined, options);
  const start = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const cell = await port.addCellWorktree(join(repo.path, '.trees', 'worker-1a2b3c4d'), start);
  const feed = (input: string, ...args: string[]): string =>
    execFileSync('git', args, {
      cwd: cell.path,
      env: { ...hermeticEnv, ...quarantineVariables(cell.quarantine) },
      encoding: 'utf8',
      input,
    }).trim();
  return { port, cell, feed };
}

/** What is said of work that is refused; it must be the same whatever is asked, and the worktree must stay. */
async function refusal({ port, cell }: Opened): Promise<string> {
  const said = await told(port.cellLeftovers(cell));
  const rescue = port.rescueCell(cell, { message: 'x', author: 'a <a@b>' });
  assert.is(await told(rescue), said, 'a rescue is bounded likewise');
  assert.ok(existsSync(cell.path), 'the worktree stays');
  await port.discardCell(cell);
  await port.close();
  return said;
}

async function told(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'nothing';
  } catch (error) {
    return error instanceof FlameError ? `${error.code}: ${error.message}` : `${error}`;
  }
}

/** Commits a tree and lets the cell's HEAD stand on it. */
function stand({ feed }: Opened, tree: string): ObjectId {
  const commit = feed('bomb\n', 'commit-tree', tree, '-p', 'HEAD');
  feed('', 'update-ref', '--no-deref', 'HEAD', commit);
  return parseObjectId(commit);
}

test('UNI-5 patterns that git matches for long are refused in what an agent wrote, not in what was there', async () => {
  const slow = `${'*a'.repeat(checkedWorkLimits.patternWild + 2)}b`;
  const opened = await open({ bounds: checkedWorkLimits }, (repo) => {
    repo.write('lib/.gitignore', `build\n${slow}\n`);
    repo.write('.gitattributes', `${slow} text\n`);
    repo.commit('slow patterns');
  });
  const { port, cell } = opened;
  agentWrites(cell, 'src/new.txt', 'x');
  assert.equal(await port.cellLeftovers(cell), [{ path: 'src/new.txt', isTracked: false, target: null }]);
  agentWrites(cell, 'lib/.gitignore', `build\n${slow}\ndist\n`);
  assert.is((await port.cellLeftovers(cell)).length, 2, 'a line of its own beside the old one');
  agentWrites(cell, 'lib/.gitignore', `build\n${slow}\n${slow}x\n`);
  assert.match(await told(port.cellLeftovers(cell)), /inside the names of one pattern \(lib\/\.gitignore\)/);
  agentWrites(cell, 'lib/.gitignore', 'build\n');
  agentWrites(cell, 'src/.gitignore', `${slow}\n`);
  assert.match(await refusal(opened), /^cell-too-much: .* \(src\/\.gitignore\)/);
});

test('a look at every path of a worktree ends where there are too many, and what stays setuid does not', async () => {
  const opened = await open({ bounds: { ...checkedWorkLimits, entries: 40 } });
  const { port, cell } = opened;
  agentWrites(cell, 'one', 'x');
  chmodSync(join(cell.path, 'one'), 0o6755);
  await port.cellLeftovers(cell);
  assert.is(statSync(join(cell.path, 'one')).mode & 0o7777, 0o755);
  for (let count = 0; count < 50; count += 1) agentWrites(cell, `many/${count}`, '');
  assert.match(
    await told(port.snapshotCell(cell)),
    /^cell-too-much: .* files and folders or more, but at most \d\d can/,
  );
  await refusal(opened);
  assert.is(existsSync(cell.path), false, 'it can be removed all the same');
});

test('a folder of thousands of files is removed', async () => {
  const opened = await open();
  for (let count = 0; count < 3_500; count += 1) agentWrites(opened.cell, `many/${count}`, '');
  await opened.port.discardCell(opened.cell);
  assert.is(existsSync(opened.cell.path), false);
  await opened.port.close();
});

for (const levels of [7, 10, 60]) {
  test(`a tree of ${levels} levels with eight entries of one tree each is never unfolded`, async () => {
    const opened = await open();
    let entry = `100644 blob ${opened.feed('x\n', 'hash-object', '-w', '--stdin')}`;
    for (let level = 0; level < levels; level += 1) {
      const rows = [...'abcdefgh'].map((name) => `${entry}\t${name}`);
      entry = `040000 tree ${opened.feed(`${rows.join('\n')}\n`, 'mktree')}`;
    }
    const tip = stand(opened, entry.slice(-40));
    assert.match(
      await told(opened.port.changedFiles(opened.cell.start, tip, opened.cell.quarantine)),
      /^cell-too-much: .* changed paths, but at most 200,000 can be judged\.$/,
    );
    assert.match(await refusal(opened), /^cell-too-much: The work has \S+ changed paths,/);
  });
}

test('folders in folders are counted', async () => {
  const opened = await open();
  let tree = opened.feed(`100644 blob ${opened.feed('x\n', 'hash-object', '-w', '--stdin')}\tx\n`, 'mktree');
  for (let level = 0; level < 120; level += 1) tree = opened.feed(`040000 tree ${tree}\td\n`, 'mktree');
  stand(opened, tree);
  assert.match(await refusal(opened), /folders in folders, but at most 100/);
});

test('a bomb that a later commit takes away again is found as well', async () => {
  const opened = await open({ bounds: { paths: 1_000 } });
  const before = opened.feed('', 'rev-parse', 'HEAD^{tree}');
  let entry = `100644 blob ${opened.feed('x\n', 'hash-object', '-w', '--stdin')}`;
  for (let level = 0; level < 5; level += 1)
    entry = `040000 tree ${opened.feed([...'abcdefgh'].map((name) => `${entry}\t${name}\n`).join(''), 'mktree')}`;
  stand(opened, entry.slice(-40));
  stand(opened, before);
  assert.match(await refusal(opened), /changed paths, but at most 1,000/);
});

test('a hundred thousand commits are counted no further than they may be', async () => {
  const opened = await open();
  const lines = ['feature done'];
  for (let at = 1; at <= 100_000; at += 1) {
    lines.push(`commit refs/heads/many`, `committer A <a@b> ${1_700_000_000 + at} +0000`, 'data 1', 'x');
    if (at === 1) lines.push(`from ${opened.cell.start}`);
  }
  opened.feed(`${lines.join('\n')}\ndone\n`, 'fast-import', '--quiet', '--done');
  const many = opened.feed('', 'rev-parse', 'refs/heads/many');
  opened.feed('', 'update-ref', '-d', 'refs/heads/many');
  writeFileSync(join(opened.cell.quarantine.worktreeGitDir, 'HEAD'), `${many}\n`);
  assert.match(await refusal(opened), /^cell-too-much: The work has 2,001 commits or more, but at most 2,000/);
});

test('a commit message of five megabytes is not read', async () => {
  const opened = await open();
  agentWrites(opened.cell, 'x.txt', 'x\n');
  opened.feed('', 'add', '-A');
  opened.feed(`Add x\n\n${'words '.repeat(900_000)}\n`, 'commit', '-q', '-F', '-');
  assert.match(await refusal(opened), /bytes in one commit message \([0-9a-f]{10}\), but at most 100,000/);
});

test('five hundred files of holes are counted as long as they read, committed or not', async () => {
  for (const isCommitted of [false, true]) {
    const opened = await open();
    for (let at = 0; at < 500; at += 1) {
      const file = join(opened.cell.path, `f${at}`);
      writeFileSync(file, '');
      truncateSync(file, 40 * 1024 * 1024);
      // git reads each of them.
      if (isCommitted && at === 0) opened.feed('', 'add', 'f0');
    }
    if (isCommitted) {
      const blob = opened.feed('', 'rev-parse', ':f0');
      const rows = Array.from({ length: 500 }, (_, at) => `100644 ${blob}\tf${at}\n`);
      opened.feed(rows.join(''), 'update-index', '--add', '--index-info');
      stand(opened, opened.feed('', 'write-tree'));
    }
    assert.match(await refusal(opened), /^cell-too-much: The work has 20,97\d,\d+,\d+ bytes in changed files,/);
  }
});

test('patterns that git would match for ever are never given to it', async () => {
  for (const name of ['.gitignore', '.gitattributes']) {
    const opened = await open();
    agentWrites(opened.cell, `d/${'a/'.repeat(60)}b`, 'x\n');
    agentWrites(opened.cell, `d/${name}`, `**/${'a/**/'.repeat(14)}c text\n`);
    assert.match(await refusal(opened), new RegExp(`15 times \\*\\* in one pattern \\(d/${name}\\), but at most 4`));
  }
});

test('files, and repositories in the worktree, are counted before git is asked for them', async () => {
  const opened = await open({ bounds: { entries: 50 } });
  for (let at = 0; at < 60; at += 1) agentWrites(opened.cell, `f${at}`, '');
  assert.match(await refusal(opened), /files and folders or more, but at most/);
  const nesting = await open();
  for (let at = 0; at < checkedWorkLimits.nested + 1; at += 1)
    mkdirSync(join(nesting.cell.path, `n${at}`, '.git'), { recursive: true });
  assert.match(await refusal(nesting), /201 repositories in it or more, but at most 200/);
});

test('work within the bounds passes: many files, a long message, a usual ignore file', async () => {
  const { port, cell } = await open();
  agentWrites(cell, '.gitignore', '**/build/**/cache/**\nnode_modules/\n');
  for (let at = 0; at < 300; at += 1) agentWrites(cell, `src/f${at}.txt`, `${at}\n`);
  const tip = agentCommits(cell, `Add\n\n${'words '.repeat(1_000)}`);
  assert.is((await port.changedFiles(cell.start, tip, cell.quarantine)).length, 301);
  assert.equal(await port.cellLeftovers(cell), []);
  agentGit(cell, 'commit', '--allow-empty', '-qm', 'again');
  await port.acceptCell(cell, parseObjectId(agentGit(cell, 'rev-parse', 'HEAD')));
  await port.close();
});

test.run();
