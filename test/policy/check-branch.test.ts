import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId } from '../../lib/domain/ids.ts';
import type { CommitInfo } from '../../lib/domain/ports/git-commits.ts';
import type { ChangedFile } from '../../lib/domain/state/patch.ts';
import { type BranchInput, checkBranch } from '../../lib/policy/check-branch.ts';
import { findSecrets } from '../../lib/policy/secrets/find-secrets.ts';
import { makePolicy } from './fixtures.ts';

const oid = (digit: string): ObjectId => parseObjectId(digit.repeat(40));
const start = oid('0');
const config = {
  permissions: { allowed_paths: ['src/**', 'test/**', 'assets/**'], hidden_paths: ['**/*.key'] },
  sandbox: { max_file_size_mb: 1 },
  validation: {
    commit_format: { pattern: '^(feat|fix): .+', example: 'feat: x' },
    file_naming: { style: 'kebab-case', enforce_for: ['src/**'] },
  },
};
const policy = makePolicy({ config, locks: ['src/', 'test/', 'assets/*.png'] });

function file(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path,
    status: 'added',
    oldMode: '000000',
    newMode: '100644',
    oldOid: oid('0'),
    newOid: oid('1'),
    size: 10,
    isBinary: false,
    ...more,
  };
}

const signed = { author: 'a <a@b>', committer: 'a <a@b>', authored: 1_000, committed: 1_000 };

function commit(id: string, parents: readonly string[], message = 'feat: x'): CommitInfo {
  return { oid: oid(id), tree: oid('f'), parents: parents.map(oid), message, ...signed };
}

function found(input: Partial<BranchInput>): string[] {
  const all = { policy, files: [], commits: [], start, signer: null, readText: () => 'text', ...input };
  return checkBranch(all).map(({ rule, where }) => `${rule} ${where}`);
}

test('a branch within its locks passes', () => {
  const commits = [commit('1', ['0']), commit('2', ['1'], 'fix: y\n\nBody: z')];
  assert.equal(
    found({
      files: [file('src/a.ts'), file('test/a.ts'), file('src/run.sh', { newMode: '100755' })],
      commits,
    }),
    [],
  );
});

const places: readonly (readonly [string, ChangedFile])[] = [
  ['path-not-allowed README.md', file('README.md', { status: 'modified' })],
  ['path-not-allowed README.md', file('README.md', { status: 'deleted', newMode: '000000' })],
  ['path-not-allowed run.sh', file('run.sh', { status: 'mode-changed', newMode: '100755' })],
  ['path-out-of-scope assets/x.txt', file('assets/x.txt')],
  ['path-hidden src/x.KEY', file('src/x.KEY')],
  ['path-protected src/.claude/settings.json', file('src/.claude/settings.json')],
  ['path-attributes src/.gitattributes', file('src/.gitattributes')],
  ['submodule src/sub', file('src/sub', { newMode: '160000', size: 0 })],
  ['submodule src/sub', file('src/sub', { status: 'deleted', oldMode: '160000', newMode: '000000' })],
  ['binary src/a.bin', file('src/a.bin', { isBinary: true })],
  ['file-size src/big.txt', file('src/big.txt', { size: 2_000_000 })],
  ['file-name src/OrderList.ts', file('src/OrderList.ts')],
  ['path-malformed src/a\ufffd.ts', file('src/a\ufffd.ts')],
  ['path-malformed src/a b\u202e.ts', file('src/a b\u202e.ts', { status: 'modified' })],
];
for (const [expected, changed] of places) {
  test(`${expected}: ${changed.status} ${changed.newMode}`, () =>
    assert.equal(found({ files: [changed] }), [expected]));
}

test('a renamed file counts at both ends', () => {
  const files = [file('other/a.ts', { status: 'deleted', newMode: '000000' }), file('src/a.ts')];
  assert.equal(found({ files }), ['path-not-allowed other/a.ts']);
});

test('PCK-1 what was only moved is no new content, however large it is, and whatever its mode becomes', () => {
  const large = { size: 80_000_000, isBinary: true };
  const gone = file('src/a.bin', {
    ...large,
    status: 'deleted',
    oldMode: '100644',
    newMode: '000000',
    oldOid: oid('8'),
  });
  const moved = file('src/b.bin', { ...large, newMode: '100755', newOid: oid('8') });
  assert.equal(found({ files: [gone, moved] }), []);
  const mode = file('src/a.bin', {
    ...large,
    status: 'mode-changed',
    oldMode: '100644',
    newMode: '100755',
    oldOid: oid('1'),
  });
  assert.equal(found({ files: [mode] }), []);
  const changed = file('src/b.bin', { ...large, newOid: oid('9') });
  assert.equal(found({ files: [gone, changed] }), ['binary src/b.bin', 'file-size src/b.bin']);
  const others = file('lib/b.bin', { ...large, newOid: oid('8') });
  assert.equal(found({ files: [gone, others] }), ['path-not-allowed lib/b.bin']);
});

test('a binary passes where a lock means its kind, not where it only holds the folder', () => {
  assert.equal(found({ files: [file('assets/logo.png', { isBinary: true })] }), []);
  assert.equal(found({ files: [file('src/logo.png', { isBinary: true })] }), ['binary src/logo.png']);
});

test('attributes pass when a lock names exactly that file', () => {
  const named = makePolicy({ config, locks: ['src/', 'src/.gitattributes'] });
  assert.equal(found({ policy: named, files: [file('src/.gitattributes')] }), []);
});

for (const [target, isFine] of [
  ['b.ts', true],
  ['../test/a.ts', true],
  ['./deep/b.ts', true],
  ['..', true],
  ['../..', false],
  ['../../x', false],
  ['/etc/passwd', false],
  ['up/../../x', false],
  ['../.git/config', false],
  ['x.key', false],
  ['', false],
] as const) {
  test(`a symlink to ${target || 'nothing'} ${isFine ? 'passes' : 'is a violation'}`, () => {
    const link = file('src/link', { newMode: '120000' });
    assert.equal(found({ files: [link], readText: () => target }), isFine ? [] : ['symlink src/link']);
  });
}

test('PCK-3 every message counts, and rewritten history shows', () => {
  assert.equal(found({ commits: [commit('1', ['0'], 'wip'), commit('2', ['1'])] }), [`commit-message ${oid('1')}`]);
  assert.equal(found({ commits: [commit('1', ['9'])] }), [`history ${oid('1')}`]);
  assert.equal(found({ commits: [commit('1', [])] }), [`history ${oid('1')}`]);
  assert.equal(found({ commits: [commit('1', ['0']), commit('2', ['1', '9'])] }), [`history ${oid('2')}`]);
  assert.equal(found({ commits: [commit('1', ['0'], 'wip\n\nfeat: in the body')] }), [`commit-message ${oid('1')}`]);
});

const agent = 'worker-1 <worker-1@agents.invalid>';
const began = Date.parse('2026-03-01T10:00:00Z');
const signer = { identity: agent, began, now: began + 600_000 };
const seconds = began / 1_000;
const byAgent = { author: agent, committer: agent, authored: seconds + 60, committed: seconds + 120 };

for (const [what, more, isFine] of [
  ['its own name and time', {}, true],
  ['a clock that is half an hour slow', { authored: seconds - 1_800 }, true],
  ['another author', { author: 'Lena Lead <lena@example.com>' }, false],
  ['another committer', { committer: 'Lena Lead <lena@example.com>' }, false],
  ['its name with the address of another', { author: 'worker-1 <lena@example.com>' }, false],
  ['the author date of years ago', { authored: 1_577_836_800 }, false],
  ['the commit date of years ago', { committed: 1_577_836_800 }, false],
  ['a date to come', { committed: seconds + 600 + 3_600 }, false],
  ['a date git cannot read', { authored: Number.NaN }, false],
  [
    'the trailer of its client',
    { message: 'feat: x\n\nCo-Authored-By: Claude Opus 4.5 <noreply@anthropic.com>' },
    true,
  ],
  ['a sign-off of its own', { message: `feat: x\n\nSigned-off-by: ${agent}` }, true],
  ['a trailer of what it is about', { message: 'feat: x\n\nTask: task-001\nRefs: #12' }, true],
  ['the review of a person', { message: 'feat: x\n\nReviewed-by: Lena Lead <lena@example.com>' }, false],
  ['a sign-off of a person', { message: 'feat: x\n\n  signed-off-BY : Lena Lead <lena@example.com>\n\nmore' }, false],
  ['a person beside it', { message: 'feat: x\n\nCo-authored-by: Lena <lena@example.com>' }, false],
  ['a review by what is no reviewer', { message: 'feat: x\n\nReviewed-by: Claude <noreply@anthropic.com>' }, false],
] as const) {
  test(`WFL-4 a commit of an agent with ${what}: ${isFine ? 'fine' : 'a violation'}`, () => {
    const commits = [{ ...commit('1', ['0']), ...byAgent, ...more }];
    assert.equal(found({ commits, signer }), isFine ? [] : [`authorship ${oid('1')}`]);
    assert.equal(found({ commits }), [], 'a person signs as they like');
  });
}

test('a pattern that speaks of lines judges the whole message', () => {
  const whole = makePolicy({ config: { validation: { commit_format: { pattern: '^.+\\n\\nTask: \\w' } } } });
  assert.equal(found({ policy: whole, commits: [commit('1', ['0'], 'x\n\nTask: a\n')] }), []);
  assert.equal(found({ policy: whole, commits: [commit('1', ['0'], 'x')] }), [`commit-message ${oid('1')}`]);
});

test('sources without tests', () => {
  const strict = makePolicy({
    config: {
      validation: {
        require_tests: {
          enabled: true,
          source_patterns: ['src/**'],
          test_patterns: ['test/**', '**/*.test.ts'],
        },
      },
    },
  });
  assert.equal(found({ policy: strict, files: [file('src/a.ts')] }), ['tests-missing src/a.ts']);
  assert.equal(found({ policy: strict, files: [file('src/a.ts'), file('src/a.test.ts')] }), []);
  assert.equal(found({ policy: strict, files: [file('docs/a.md')] }), []);
  const gone = file('test/a.ts', { status: 'deleted', newMode: '000000' });
  assert.equal(found({ policy: strict, files: [file('src/a.ts'), gone] }), ['tests-missing src/a.ts']);
});

test('a reading role commits nothing', () => {
  assert.equal(found({ policy: makePolicy({ role: 'validator' }), files: [file('src/a.ts')] }), [
    'read-only-role src/a.ts',
  ]);
});

// Put together here, so that no scanner takes this file for a leak.
const tokens: readonly (readonly [string, string])[] = [
  ['aws-access-token', `AKIA${'ABCDEFGH23456777'}`],
  ['github-token', `ghp_${'a1B2'.repeat(9)}`],
  ['github-fine-grained-pat', `github_pat_${'a1B2_'.repeat(16)}zz`],
  ['anthropic-api-key', `sk-ant-api03-${'a-B2_'.repeat(19)}AA`],
  ['openai-api-key', `sk-proj-${'a1B2'.repeat(12)}`],
  ['openai-api-key', `sk-${'a1B2'.repeat(12)}`],
  ['slack-token', `xoxb-${'1234567890'}-${'1234567890'}-${'aB3dE6gH9jK2'}`],
  ['private-key', `-----BEGIN RSA ${'PRIVATE KEY'}-----`],
  ['private-key', `-----BEGIN ${'PRIVATE KEY'}-----`],
  ['gcp-api-key', `AIza${'aB3-_'.repeat(7)}`],
  ['stripe-access-token', `sk_live_${'aB3d'.repeat(6)}`],
  ['npm-access-token', `npm_${'aB3d'.repeat(9)}`],
];
for (const [id, token] of tokens) {
  test(`secret ${id} is found with its line`, () => {
    const text = `first\nconst key = "${token}";\n`;
    assert.equal(findSecrets(text, null), [{ id, line: 2 }]);
    assert.equal(findSecrets(text, `const key = "${token}";`), []);
    const hit = checkBranch({
      policy,
      files: [file('src/a.ts')],
      commits: [],
      start,
      signer: null,
      readText: () => text,
    })[0];
    assert.is(hit?.rule, 'secret');
    assert.not.match(hit?.details ?? '', token);
  });
}

test('ordinary code holds no secrets', () => {
  const text = [
    'import sk from "sk-learn-helpers-and-more-things";',
    'const id = "task-001-sk-something-long-enough";',
    'npm_config_registry=x',
    'a'.repeat(64),
    'ghp_short',
    '-----BEGIN PUBLIC KEY-----',
  ].join('\n');
  assert.equal(findSecrets(text, null), []);
});

test.run();
