import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId } from '../../lib/domain/ids.ts';
import { codeOf, type Fixture, openFixture } from './cell-fixture.ts';

function commit({ repo }: Fixture, message: string): ObjectId {
  return parseObjectId(repo.commit(message));
}

test('changed files: renames, modes, links, submodules, binaries, sizes, odd names', async () => {
  const fixture = await openFixture();
  const { repo, port } = fixture;
  repo.write('old.txt', 'the same text\n'.repeat(20));
  repo.write('run.sh', 'x\n');
  repo.write('becomes-link', 'README.md');
  const base = commit(fixture, 'base');
  repo.git('mv', 'old.txt', 'new\tname "ü"\n.txt');
  repo.git('update-index', '--chmod=+x', 'run.sh');
  repo.git('commit', '-qm', 'renames');
  writeFileSync(join(repo.path, 'pic.png'), Buffer.from([137, 80, 0, 1, 2]));
  repo.write(':odd', 'x');
  repo.git('add', 'pic.png', './:odd');
  repo.git('update-index', '--add', '--cacheinfo', `160000,${base},sub`);
  const blob = repo.git('hash-object', '-w', 'becomes-link');
  repo.git('update-index', '--cacheinfo', `120000,${blob},becomes-link`);
  repo.git('commit', '-qm', 'rest');
  const tip = parseObjectId(repo.git('rev-parse', 'HEAD'));
  // Attributes of the checkout must not call text binary, nor the other way round.
  repo.write('.gitattributes', '* -diff\n*.png diff\n');
  const files = await port.changedFiles(base, tip);
  assert.equal(
    files.map((file) => [file.path, file.status, file.oldMode, file.newMode, file.size, file.isBinary]),
    [
      [':odd', 'added', '000000', '100644', 1, false],
      ['becomes-link', 'type-changed', '100644', '120000', 9, false],
      ['new\tname "ü"\n.txt', 'added', '000000', '100644', 280, false],
      ['old.txt', 'deleted', '100644', '000000', 0, false],
      ['pic.png', 'added', '000000', '100644', 5, true],
      ['run.sh', 'mode-changed', '100644', '100755', 2, false],
      ['sub', 'added', '000000', '160000', 0, false],
    ],
  );
  assert.equal(await port.changedFiles(tip, tip), []);
});

const settings = {
  'diff.external': 'true',
  'diff.evil.command': 'true',
  'diff.evil.textconv': 'true',
  'diff.noprefix': 'true',
  'diff.mnemonicPrefix': 'true',
  'diff.renames': 'copies',
  'diff.context': '0',
  'diff.interHunkContext': '9',
  'diff.orderFile': '/dev/null',
  'diff.relative': 'true',
  'diff.suppressBlankEmpty': 'true',
  'diff.wsErrorHighlight': 'all',
  'diff.submodule': 'log',
  'color.ui': 'always',
  'core.quotePath': 'false',
};

test('REV-4 no setting, attribute or driver hides or bends a diff', async () => {
  const fixture = await openFixture();
  const { repo, port, head } = fixture;
  repo.write('.gitattributes', '*.js -diff\n*.txt diff=evil\n');
  repo.write('src/a.txt', 'a\nb\n\nü\n');
  repo.write('hidden.js', 'line\rmore\n');
  repo.write('moved/README.md', '# Sample\n');
  repo.git('rm', '-q', 'README.md');
  writeFileSync(join(repo.path, 'bin.dat'), Buffer.from('a\0b\nc\n'));
  const tip = commit(fixture, 'change');
  const plain = await port.diffText(head, tip);
  const stat = await port.diffStat(head, tip);
  for (const [key, value] of Object.entries(settings)) repo.git('config', key, value);
  assert.is(await port.diffText(head, tip), plain);
  assert.equal(await port.diffStat(head, tip), stat);
  assert.equal(stat, { files: 5, insertions: 6, deletions: 0 });
  const files = await port.fileStats(head, tip);
  assert.is(files.length, 5);
  assert.equal(
    files.find(({ path }) => path === 'moved/README.md'),
    { path: 'moved/README.md', moved_from: 'README.md', insertions: 0, deletions: 0 },
  );
  assert.ok(plain.includes('\n+line\rmore\n'));
  assert.match(plain, /^similarity index 100%\nrename from README\.md\nrename to moved\/README\.md$/m);
  const added = plain.split('\n').filter((line) => /^\+(?!\+\+)/.test(line));
  assert.is(added.length, stat.insertions + 2, 'the two lines of the binary file are shown');
});

test('a file that moved is one file, with the lines that differ', async () => {
  const fixture = await openFixture();
  const { repo, port } = fixture;
  repo.write('docs/old "ü".md', 'a line of it\n'.repeat(30));
  const base = commit(fixture, 'base');
  repo.git('mv', 'docs/old "ü".md', 'new.md');
  repo.write('new.md', `${'a line of it\n'.repeat(30)}one more\n`);
  const tip = commit(fixture, 'moved');
  assert.equal(await port.diffStat(base, tip), { files: 1, insertions: 1, deletions: 0 });
  assert.equal(await port.fileStats(base, tip), [
    { path: 'new.md', moved_from: 'docs/old "ü".md', insertions: 1, deletions: 0 },
  ]);
  const text = await port.diffText(base, tip);
  assert.match(text, /\nsimilarity index \d+%\nrename from "docs.*"\nrename to new\.md\n/);
  assert.match(text, /\n\+one more\n/);
  const asIs = await port.changedFiles(base, tip);
  assert.equal(
    asIs.map(({ path, status }) => [path, status]),
    [
      ['docs/old "ü".md', 'deleted'],
      ['new.md', 'added'],
    ],
    'rules judge both ends',
  );
});

test('a diff cut at a limit says so, at a line', async () => {
  const fixture = await openFixture();
  const { repo, port, head } = fixture;
  repo.write('big.txt', 'a line\n'.repeat(1_000));
  const tip = commit(fixture, 'big');
  const text = await port.diffText(head, tip, { maxBytes: 500 });
  const whole = await port.diffText(head, tip);
  const [shown = ''] = text.split('\n[... diff cut here: ');
  assert.ok(whole.startsWith(shown) && shown.endsWith('\n+a line\n') && Buffer.byteLength(shown) <= 500);
  assert.match(text, new RegExp(`${shown.length} of ${whole.length} bytes shown`));
  assert.is(await port.diffText(head, tip, { maxBytes: whole.length }), whole);
});

test('commits are read whole: message, author, parents, order', async () => {
  const fixture = await openFixture();
  const { repo, port, head } = fixture;
  repo.git('config', 'log.showSignature', 'true');
  repo.git('checkout', '-q', '-b', 'side');
  repo.write('s', 's\n');
  repo.git('add', 's');
  const author = 'Zoë "Z" O\'Neil <zoe@x>';
  repo.git('commit', '-q', '--author', author, '-m', 'subject ü', '-m', 'body\n\nTrailer: x');
  const side = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.git('checkout', '-q', 'main');
  repo.write('m', 'm\n');
  const main = commit(fixture, 'on main');
  repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  const tip = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const commits = await port.commitsBetween(head, tip);
  assert.equal(commits.at(-1)?.parents, [main, side]);
  assert.equal(commits.map(({ oid }) => oid).sort(), [side, main, tip].sort());
  const info = await port.readCommit(side);
  assert.equal([info.author, info.message], [author, 'subject ü\n\nbody\n\nTrailer: x\n']);
  assert.is(info.tree, repo.git('rev-parse', 'side^{tree}'));
  assert.is(await codeOf(port.readCommit(parseObjectId('1'.repeat(40)))), 'no-such-commit');
  assert.equal(await port.commitsBetween(tip, tip), []);
  assert.equal(await port.dropContainedCommits([head, side, main, head, tip, main]), [tip]);
  assert.equal(await port.dropContainedCommits([main, head, side]), [main, side]);
  assert.equal([await port.dropContainedCommits([head]), await port.dropContainedCommits([])], [[head], []]);
  assert.is(await port.isAncestor(head, tip), true);
  assert.is(await port.isAncestor(tip, head), false);
});

test('texts of files: absent, binary and large ones are left out', async () => {
  const fixture = await openFixture();
  const { repo, port } = fixture;
  const odd = 'ü "q"\nname.txt';
  repo.write(odd, 'odd\n\nname missing\n');
  repo.write('same.txt', 'a\n');
  repo.write('empty', '');
  repo.write('large', 'x'.repeat(1_048_577));
  writeFileSync(join(repo.path, 'latin1'), Buffer.from([0xe4, 10]));
  writeFileSync(join(repo.path, 'nul'), Buffer.from('a\0b'));
  const tip = commit(fixture, 'texts');
  const wanted = ['no\nsuch missing', 'src/a.txt', 'large', odd, 'src', 'latin1', 'empty', 'nul', 'same.txt'];
  assert.equal(
    await port.readTexts(tip, [...wanted, '-x', '']),
    new Map([
      ['src/a.txt', 'a\n'],
      [odd, 'odd\n\nname missing\n'],
      ['empty', ''],
      ['same.txt', 'a\n'],
    ]),
  );
  assert.equal(await port.readTexts(tip, []), new Map());
  assert.equal(await port.readTexts(tip, ['nothing']), new Map());
  const all = ['README.md', 'empty', 'large', 'latin1', 'nul', 'same.txt', 'src/a.txt', odd];
  assert.equal(await port.listFiles(tip, 100), all);
  assert.equal(await port.listFiles(tip, 3), all.slice(0, 3));
});

test('merges without a work tree: clean, in conflict, unrelated, missing', async () => {
  const fixture = await openFixture();
  const { repo, port, head } = fixture;
  repo.write('CHANGELOG.md', 'top\n');
  const base = commit(fixture, 'base');
  const branch = (name: string, files: Readonly<Record<string, string>>): ObjectId => {
    repo.git('checkout', '-q', '-b', name, base);
    for (const [path, text] of Object.entries(files)) repo.write(path, text);
    return commit(fixture, name);
  };
  const one = branch('one', { 'src/a.txt': 'one\n', 'CHANGELOG.md': 'top\none\n' });
  const two = branch('two', { 'src/a.txt': 'two\n', 'new ü\n.txt': 'n\n' });
  const three = branch('three', { 'three.txt': '3\n', 'CHANGELOG.md': 'top\nthree\n' });
  repo.git('checkout', '-q', 'main');

  const clean = await port.mergeTree(two, three);
  assert.is(clean.kind, 'clean');
  const merged = await port.writeUnsignedCommit({
    tree: clean.tree,
    parents: [two, three],
    message: 'merged\n\n-n body\n',
  });
  assert.is(repo.git('show', `${merged}:new ü\n.txt`), 'n');
  assert.is(repo.git('log', '-1', '--format=%B', merged), 'merged\n\n-n body');

  const conflict = await port.mergeTree(one, two);
  assert.equal(conflict, {
    kind: 'conflict',
    tree: conflict.tree,
    paths: ['src/a.txt'],
    messages: ['CONFLICT (content): Merge conflict in src/a.txt'],
  });
  assert.is((await port.mergeTree(one, three)).kind, 'conflict');
  assert.is(repo.git('status', '--porcelain'), '');

  repo.write('.gitattributes', 'CHANGELOG.md merge=union\n');
  const union = await port.mergeTree(one, three);
  assert.is(union.kind, 'clean');
  assert.is(repo.git('show', `${union.tree}:CHANGELOG.md`), 'top\none\nthree');

  const { tree } = await port.readCommit(head);
  const other = await port.writeUnsignedCommit({ tree, parents: [], message: 'other root' });
  assert.is(await codeOf(port.mergeTree(one, other)), 'unrelated-histories');
  assert.is(await codeOf(port.mergeTree(one, parseObjectId('2'.repeat(40)))), 'git-failed');
});

test('the same inputs make the same commit, unsigned', async () => {
  const { repo, port, head } = await openFixture();
  repo.git('config', 'commit.gpgSign', 'true');
  repo.git('config', 'gpg.program', 'false');
  repo.git('config', 'i18n.commitEncoding', 'latin1');
  const { tree } = await port.readCommit(head);
  const make = (): Promise<ObjectId> => port.writeUnsignedCommit({ tree, parents: [head], message: 'mädchen' });
  assert.is(await make(), await make());
  repo.write('.git/message', 'mädchen\n');
  const stock = ['-c', 'commit.gpgSign=false', '-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree];
  assert.is(await make(), repo.git(...stock, '-p', head, '-F', '.git/message'));
  assert.is((await port.readCommit(await make())).message.trim(), 'mädchen');
});

test.run();
