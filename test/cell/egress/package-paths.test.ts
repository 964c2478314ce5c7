import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPackageFile, isPackageReadPath, type Registry } from '../../../lib/cell/egress/package-registry.ts';

/** What the tools ask of common registries, below `base`, and what of the same hosts is none of a cell's business. */
const kinds: readonly {
  readonly tool: Registry['tool'];
  readonly base: string;
  readonly read: readonly string[];
  readonly closed: readonly string[];
}[] = [
  {
    tool: 'npm',
    base: 'https://packages.test/npm/main/',
    read: [
      'left-pad',
      '@acme%2fui',
      '@acme%2Fui',
      '@acme/ui',
      '%40acme%2fui',
      'pnpm/latest',
      'pnpm/9.1.0-rc.1',
      'left-pad/-/left-pad-1.3.0.tgz',
      '@acme/ui/-/ui-1.0.0-beta.1+b.tgz',
      '@acme/ui/-/@acme/ui-1.0.0.tgz',
      'download/@acme/ui/1.0.0/0a1b2c',
      '-/npm/v1/keys',
      '-/npm/v1/attestations/sigstore@3.0.0',
    ],
    closed: [
      '',
      '-/whoami',
      '-/Whoami',
      '%2d/whoami',
      '%2D%2fwhoami',
      '%252d/whoami',
      '-/npm/v1/tokens',
      '-/npm/v1/user',
      '-/npm/v1/tokens/x.tgz',
      '-/user/org.couchdb.user:lena',
      '-/all',
      '-/v1/search',
      '-/package/left-pad/collaborators',
      '-/package/left-pad/access',
      '-/verdaccio/data/packages',
      '-/npm/v1/attestations/../tokens',
      'auth/acme',
      '@acme%2f-%2fwhoami',
      '@acme%2f..%2f-%2fwhoami',
      'x/..%2f-/whoami',
      'x/%2e%2e/-/whoami',
      'x/%252e%252e/-/whoami',
      '/-/whoami',
      '-;a=b/whoami',
      '-%5cwhoami',
      'x%00',
      'x%0a-/whoami',
      '_all_docs',
      '.npmrc',
      'x'.repeat(2_000),
      '%E0%A4%A',
    ],
  },
  {
    tool: 'pip',
    base: 'https://packages.test/repository/py/simple',
    read: [
      '',
      'greeting/',
      'zope.interface/',
      'greeting',
      'greeting/1.0/greeting-1.0-py3-none-any.whl',
      '../packages/greeting/1.0/greeting-1.0.tar.gz',
      '../files/ab/cd/greeting-1.0-py3-none-any.whl.metadata',
      '../+f/abc/greeting-1.0.zip',
    ],
    closed: [
      'greeting/json',
      '../../service/rest/v1/security/users',
      '../../other/greeting-1.0.whl',
      '-/whoami',
      'a/b/c',
      '%2e%2e/%2e%2e/admin/backup.zip',
      '.pypirc',
      'me/token',
    ],
  },
  {
    tool: 'cargo',
    base: 'https://packages.test/cargo/acme/index/',
    read: [
      'config.json',
      '1/a',
      '2/ab',
      '3/a/abc',
      'gr/ee/greeting',
      '../v1/crates/greeting/1.0.0/download',
      '../crates/greeting-1.0.0.crate',
    ],
    closed: ['../v1/me', '../v1/crates', 'me', 'config.json/x', '../v1/me/tokens/download', '3/a/../../me'],
  },
  {
    tool: 'go',
    base: 'https://packages.test/go',
    read: [
      'example.test/greeting/@v/list',
      'example.test/!acme/greeting/v2/@v/v2.0.0-20260101000000-abcdef123456.zip',
      'example.test/greeting/@v/v1.0.0.info',
      'example.test/greeting/@v/v1.0.0+incompatible.mod',
      'example.test/greeting/@latest',
      'sumdb/sum.example.test/supported',
      'sumdb/sum.example.test/lookup/example.test/greeting@v1.0.0',
      'sumdb/sum.example.test/tile/8/1/000.p/7',
    ],
    closed: ['', 'api/tokens', 'example.test/greeting', 'admin/@v/users', 'x/%2e%2e/@latest', '@latest'],
  },
];

for (const { tool, base, read, closed } of kinds) {
  const registry = { tool, url: new URL(base) };
  // As the door has it: out of an address.
  const pathOf = (below: string): string =>
    new URL(below === '' ? base : `${base.replace(/\/$/, '')}/${below}`).pathname;

  test(`EGR-2 with the credential of ${tool} packages are read, by each of its addresses`, () => {
    for (const path of read) assert.ok(isPackageReadPath(registry, pathOf(path)), path);
  });

  test(`EGR-2 nothing else of ${tool}'s registry is asked with its credential, however it is written`, () => {
    for (const path of closed) assert.not.ok(isPackageReadPath(registry, pathOf(path)), path);
    for (const path of ['/', '/api/user', '/npm/mainx', '/-/whoami'])
      assert.not.ok(isPackageReadPath(registry, path), path);
  });
}

test('EGR-2 a file of a package is one wherever it lies, by the ending its tool gives it', () => {
  assert.ok(isPackageFile('npm', '/download/x/-/x-1.0.0.tgz'));
  assert.ok(isPackageFile('pip', '/other/x-1.0-py3-none-any.whl'));
  assert.not.ok(isPackageFile('npm', '/-/x.tgz'));
  assert.not.ok(isPackageFile('pip', '/x/..%2fy.whl'));
  assert.not.ok(isPackageFile('cargo', '/api/v1/me'));
});

test.run();
