import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { hermeticEnv, makeTempDir, openRepo } from '../support/repo.ts';
import { agentCommits, agentGit, agentWrites, codeOf, findDamage, openFixture } from './cell-fixture.ts';

async function openCell() {
  const fixture = await openFixture();
  const cell = await fixture.port.addCellWorktree(fixture.tree('worker-1'), fixture.head);
  const objectFile = (oid: string): string => join(cell.quarantine.objectDir, oid.slice(0, 2), oid.slice(2));
  return { ...fixture, cell, objectFile };
}

function overwrite(file: string, from: string): void {
  chmodSync(file, 0o600);
  cpSync(from, file);
}

test('a missing, cut off or exchanged object is refused before anything is imported', async () => {
  for (const spoil of ['missing', 'cut', 'exchanged'] as const) {
    const { repo, port, cell, objectFile } = await openCell();
    const before = repo.git('cat-file', '--batch-check', '--batch-all-objects');
    agentWrites(cell, 'x.txt', 'good\n');
    agentWrites(cell, 'y.txt', 'other\n');
    const tip = agentCommits(cell, 'x');
    const [good, other] = [agentGit(cell, 'rev-parse', 'HEAD:x.txt'), agentGit(cell, 'rev-parse', 'HEAD:y.txt')];
    if (spoil === 'missing') rmSync(objectFile(good));
    if (spoil === 'cut') {
      chmodSync(objectFile(good), 0o600);
      writeFileSync(objectFile(good), 'xx');
    }
    if (spoil === 'exchanged') overwrite(objectFile(good), objectFile(other));
    assert.is(await codeOf(port.acceptCell(cell, tip)), 'cell-objects-refused', spoil);
    assert.is(await codeOf(port.changedFiles(cell.start, tip, cell.quarantine)), 'cell-objects-refused', spoil);
    assert.is(repo.git('cat-file', '--batch-check', '--batch-all-objects'), before);
    assert.is(existsSync(cell.path), true);
    await port.discardCell(cell);
    assert.is(findDamage(repo), '');
  }
});

test("an object planted under the name of one of the repository's can't hide a change", async () => {
  const { repo, port, cell, head, objectFile } = await openCell();
  agentWrites(cell, 'src/evil.txt', 'out of scope\n');
  const tip = agentCommits(cell, 'evil');
  // The base's src/ seems to have evil.txt already, so a diff read here would be empty.
  const [before, after] = [repo.git('rev-parse', `${head}:src`), agentGit(cell, 'rev-parse', `${tip}:src`)];
  mkdirSync(join(objectFile(before), '..'), { recursive: true });
  cpSync(objectFile(after), objectFile(before));
  assert.is(agentGit(cell, 'diff', '--name-only', head, tip), '');
  const files = await port.changedFiles(head, tip, cell.quarantine).catch((error: unknown) => error);
  if (Array.isArray(files))
    assert.equal(
      files.map((file) => file.path),
      ['src/evil.txt'],
    );
  else assert.is((files as { code?: string }).code, 'cell-objects-refused');
});

test('the same, planted in a pack with a lying index or in a commit-graph', async () => {
  const { repo, port, cell, head } = await openCell();
  agentWrites(cell, 'src/evil.txt', 'out of scope\n');
  const tip = agentCommits(cell, 'evil');
  const packDir = join(cell.quarantine.objectDir, 'pack');
  agentGit(cell, 'repack', '-a', '-d', '-q');
  assert.ok(readdirSync(packDir).length > 0);
  const [name = ''] = readdirSync(packDir).filter((file) => file.endsWith('.idx'));
  const index = readFileSync(join(packDir, name));
  const [from, to] = [repo.git('rev-parse', `${head}:src`), agentGit(cell, 'rev-parse', `${tip}:src`)].map((oid) =>
    Buffer.from(oid, 'hex'),
  );
  const at = index.indexOf(to ?? '');
  assert.ok(at > 0);
  from?.copy(index, at);
  chmodSync(join(packDir, name), 0o600);
  writeFileSync(join(packDir, name), index);
  assert.is(await codeOf(port.acceptCell(cell, tip)), 'cell-objects-refused');

  mkdirSync(join(cell.quarantine.objectDir, 'info'), { recursive: true });
  writeFileSync(join(cell.quarantine.objectDir, 'info/alternates'), '/elsewhere\n');
  assert.is(await codeOf(port.acceptCell(cell, tip)), 'cell-objects-refused');
  await port.discardCell(cell);
  assert.is(findDamage(repo), '');
});

test('what an honest agent packed is accepted', async () => {
  const { repo, port, cell } = await openCell();
  agentWrites(cell, 'x.txt', 'x\n');
  const tip = agentCommits(cell, 'x');
  agentGit(cell, 'repack', '-a', '-d', '-q');
  await port.acceptCell(cell, tip);
  repo.git('update-ref', 'refs/heads/done', tip);
  assert.is(findDamage(repo), '');
});

test('objects nothing refers to stay behind', async () => {
  const { repo, port, cell } = await openCell();
  agentWrites(cell, 'secret.txt', 'amended away\n');
  const dropped = agentCommits(cell, 'first try');
  rmSync(join(cell.path, 'secret.txt'));
  agentWrites(cell, 'x.txt', 'x\n');
  agentGit(cell, 'add', '-A');
  agentGit(cell, 'commit', '-q', '--amend', '-m', 'second try');
  await port.acceptCell(cell, await port.cellHead(cell));
  assert.throws(() => repo.git('cat-file', '-e', dropped));
});

test('a malformed tree is refused', async () => {
  const { port, cell, objectFile } = await openCell();
  agentWrites(cell, 'x.txt', 'x\n');
  agentCommits(cell, 'x');
  const blob = agentGit(cell, 'rev-parse', 'HEAD:x.txt');
  const tree = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
  const oid = execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
    cwd: cell.path,
    env: { ...hermeticEnv, GIT_OBJECT_DIRECTORY: cell.quarantine.objectDir },
    input: tree,
    encoding: 'utf8',
  }).trim();
  assert.ok(existsSync(objectFile(oid)));
  const tip = parseObjectId(agentGit(cell, 'commit-tree', oid, '-p', 'HEAD', '-m', 'bad tree'));
  assert.is(await codeOf(port.acceptCell(cell, tip)), 'cell-objects-refused');
});

test('a small object that unpacks to gigabytes is refused before anything unpacks it', async () => {
  const { port, cell, objectFile } = await openCell();
  agentWrites(cell, 'x.txt', 'x\n');
  const tip = agentCommits(cell, 'x');
  const file = objectFile(agentGit(cell, 'rev-parse', 'HEAD:x.txt'));
  chmodSync(file, 0o600);
  writeFileSync(file, deflateSync(Buffer.concat([Buffer.from('blob 8589934592\0'), Buffer.alloc(1_000_000)])));
  const error = await port.acceptCell(cell, tip).catch((reason) => reason);
  assert.is(error.code, 'cell-objects-refused');
  assert.match(error.lines.join(), /bytes unpack to 8589934/);
});

test('links and pipes among the objects are refused, not followed or waited for', async () => {
  const { port, cell, objectFile } = await openCell();
  agentWrites(cell, 'x.txt', 'x\n');
  const tip = agentCommits(cell, 'x');
  const file = objectFile(agentGit(cell, 'rev-parse', 'HEAD:x.txt'));
  rmSync(file);
  execFileSync('mkfifo', [file]);
  assert.is(await codeOf(port.acceptCell(cell, tip)), 'cell-objects-refused');
  rmSync(file);
  symlinkSync('/etc/passwd', file);
  assert.is(await codeOf(port.acceptCell(cell, tip)), 'cell-objects-refused');
});

test('HEAD as a link, a pipe, nonsense or a branch', async () => {
  const { repo, port, cell, head } = await openCell();
  const file = join(cell.quarantine.worktreeGitDir, 'HEAD');
  const put = (make: () => void): void => {
    rmSync(file);
    make();
  };
  put(() => symlinkSync('/etc/passwd', file));
  assert.is(await codeOf(port.cellHead(cell)), 'cell-head-unreadable');
  put(() => execFileSync('mkfifo', [file]));
  assert.is(await codeOf(port.cellHead(cell)), 'cell-head-unreadable');
  put(() => writeFileSync(file, 'ref: refs/heads/nowhere\n'));
  assert.is(await codeOf(port.cellHead(cell)), 'cell-head-unreadable');
  put(() => writeFileSync(file, 'ref: refs/heads/main\n'));
  assert.is(await port.cellHead(cell), head);
  repo.write('later.txt', 'later\n');
  repo.commit('later');
  assert.is(await port.cellHead(cell), head, 'its branches are its own');
  put(() => writeFileSync(file, `${'1'.repeat(40)}\n`));
  assert.is(await codeOf(port.cellLeftovers(cell)), 'cell-objects-refused');
});

test('SBX-7 no hook, filter, monitor or merge driver runs on what an agent wrote', async () => {
  const { repo, head, tree } = await openFixture();
  const trap = join(makeTempDir(), 'ran');
  const evil = `sh -c 'echo ran >> ${trap}; cat'`;
  for (const [key, value] of [
    ['filter.evil.clean', evil],
    ['filter.evil.smudge', evil],
    ['filter.proc.process', evil],
    ['filter.proc.required', 'true'],
    ['merge.evil.driver', `sh -c 'echo ran >> ${trap}'`],
    ['diff.evil.textconv', evil],
    ['diff.evil.command', evil],
    ['diff.external', evil],
    ['core.fsmonitor', evil],
    ['extensions.worktreeConfig', 'true'],
    ['commit.gpgSign', 'true'],
    ['gpg.program', evil],
    ['log.showSignature', 'true'],
  ] as const)
    repo.git('config', key, value);
  repo.git('config', 'core.hooksPath', 'hooks');
  const port = await openGit({ cwd: repo.path, env: repo.env });
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  for (const name of [
    'pre-commit',
    'commit-msg',
    'post-checkout',
    'post-index-change',
    'reference-transaction',
    'pre-merge-commit',
  ]) {
    agentWrites(cell, `hooks/${name}`, `#!/bin/sh\necho ran >> ${trap}\n`);
    chmodSync(join(cell.path, 'hooks', name), 0o755);
  }
  agentWrites(cell, '.gitattributes', '*.txt filter=evil merge=evil diff=evil\n*.bin filter=proc\n');
  agentWrites(cell, 'src/a.txt', 'agent\n');
  agentWrites(cell, 'x.bin', 'bin\n');
  writeFileSync(
    join(cell.quarantine.worktreeGitDir, 'config.worktree'),
    `[core]\n\tfsmonitor = "${evil.replaceAll('"', '')}"\n[filter "mine"]\n\tclean = touch ${trap}\n`,
  );
  writeFileSync(join(cell.quarantine.worktreeGitDir, 'commondir'), '/nonexistent\n');

  const leftovers = await port.cellLeftovers(cell);
  const tip = await port.commitLeftovers(
    cell,
    leftovers.map(({ path }) => path),
    { message: 'left over', author: 'Agent <agent@x>' },
  );
  const files = await port.changedFiles(head, tip, cell.quarantine);
  assert.ok(files.some(({ path, size }) => path === 'x.bin' && size === 4));
  assert.equal(
    (await port.commitsBetween(head, tip, cell.quarantine)).map(({ author }) => author),
    ['Agent <agent@x>'],
  );
  await port.acceptCell(cell, tip);
  assert.match(await port.diffText(head, tip), /\+agent/);

  const { tree: top } = await port.readCommit(tip);
  const [one, two] = [await port.writeUnsignedCommit({ tree: top, parents: [head], message: 'm' }), tip];
  await port.mergeTree(one, two);
  const other = await port.addCellWorktree(tree('worker-2'), tip);
  agentWrites(other, 'src/a.txt', 'elsewhere\n');
  const theirs = await port.commitLeftovers(other, ['src/a.txt'], { message: 'b', author: 'B <b@x>' });
  await port.acceptCell(other, theirs);
  const merger = await port.addCellWorktree(tree('merger-1'), one);
  assert.equal(await port.startMergeIn(merger, theirs), ['src/a.txt']);
  assert.equal(await port.cellLeftovers(merger).then((list) => list.map(({ path }) => path)), ['src/a.txt']);
  await port.discardCell(merger);
  assert.equal(await port.changedTracked(repo.path), []);
  repo.git('update-ref', 'refs/heads/main', tip);
  assert.is(await port.advanceWorktree(repo.path, head, tip), 'advanced');
  assert.is(await port.advanceWorktree(repo.path, head, tip), 'already');
  assert.equal(await port.dirtyPaths(repo.path), []);
  assert.is(existsSync(trap), false);
});

test("the person's own filters still tell what changed where files are what a filter made of them", async () => {
  const { repo } = await openFixture();
  repo.git('config', 'filter.upper.clean', 'tr A-Z a-z');
  repo.git('config', 'filter.upper.smudge', 'tr a-z A-Z');
  repo.write('.gitattributes', '*.low filter=upper\n');
  repo.write('x.low', 'SHOWN\n');
  const from = parseObjectId(repo.commit('filtered'));
  const port = await openGit({ cwd: repo.path, env: repo.env });
  repo.write('x.low', 'SHOWN\n');
  assert.equal(await port.changedTracked(repo.path), []);
  const top = repo.git('write-tree');
  const to = parseObjectId(repo.git('commit-tree', top, '-p', from, '-m', 'next'));
  repo.write('x.low', 'SHOWN\n');
  assert.is(await port.advanceWorktree(repo.path, from, to), 'already');
  repo.write('x.low', 'CHANGED\n');
  assert.equal(await port.changedTracked(repo.path), ['x.low']);
  assert.is(await port.advanceWorktree(repo.path, from, to), 'refused');
});

test('a repository inside the worktree: its files are left over, nothing of it runs', async () => {
  const { port, cell, head } = await openCell();
  const trap = join(makeTempDir(), 'ran');
  const inner = openRepo(join(cell.path, 'made'));
  mkdirSync(inner.path);
  inner.git('init', '-q');
  inner.git('config', 'core.fsmonitor', `sh -c 'touch ${trap}'`);
  inner.write('deep/file.txt', 'x\n');
  inner.write('top.txt', 'y\n');
  assert.equal(await port.cellLeftovers(cell), [
    { path: 'made/deep/file.txt', isTracked: false, target: null },
    { path: 'made/top.txt', isTracked: false, target: null },
  ]);
  const committed = openRepo(join(cell.path, 'committed'));
  mkdirSync(committed.path);
  committed.git('init', '-q');
  committed.write('z.txt', 'z\n');
  committed.commit('inner');
  mkdirSync(join(cell.path, 'broken'));
  writeFileSync(join(cell.path, 'broken/.git'), 'gitdir: /nonexistent\n');
  writeFileSync(join(cell.path, 'broken/b.txt'), 'b\n');
  const paths = (await port.cellLeftovers(cell)).map(({ path }) => path);
  assert.equal(paths, ['broken/b.txt', 'committed/z.txt', 'made/deep/file.txt', 'made/top.txt']);
  const tip = await port.commitLeftovers(cell, paths, { message: 'all', author: 'A <a@x>' });
  const files = await port.changedFiles(head, tip, cell.quarantine);
  assert.equal(
    files.map(({ path, newMode }) => [path, newMode]),
    paths.map((path) => [path, '100644']),
  );
  assert.equal(await port.cellLeftovers(cell), []);
  assert.is(existsSync(trap), false);
});

test("flags in the agent's own index can't hide what it left", async () => {
  const { port, cell } = await openCell();
  agentGit(cell, 'update-index', '--assume-unchanged', 'README.md');
  agentGit(cell, 'update-index', '--skip-worktree', 'src/a.txt');
  agentWrites(cell, 'README.md', 'changed\n');
  rmSync(join(cell.path, 'src/a.txt'));
  assert.equal(await port.cellLeftovers(cell), [
    { path: 'README.md', isTracked: true, target: null },
    { path: 'src/a.txt', isTracked: true, target: null },
  ]);
});

test.run();
