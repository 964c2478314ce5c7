import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makePrivateKey, publicKeyOf, readCommitSignerKey, signCommitText } from '../../lib/util/machine-key.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasSshKeys } from '../support/ssh-key.ts';

const verified = testIf(test, hasSshKeys, 'ssh-keygen is missing');
const key = makePrivateKey();
const commit = [
  'tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  'author Ada <ada@example.com> 1767225600 +0000',
  'committer Ada <ada@example.com> 1767225600 +0000',
  '',
  'task-001: pending -> claimed',
  '',
  'Task: task-001',
  '',
].join('\n');

test('a signed commit names its signer, and no other text does', () => {
  const signed = signCommitText(commit, key, 'sha1');
  assert.is(readCommitSignerKey(signed, 'sha1'), publicKeyOf(key));
  const others: readonly string[] = [
    commit,
    signed.replace('claimed', 'done'),
    signed.replace('Ada', 'Eve'),
    signed.replace(/^ [A-Za-z0-9]/m, ' !'),
    signed.replace(/gpgsig [\s\S]*?-----END SSH SIGNATURE-----\n/, 'gpgsig x\n'),
    commit.replace('\n\n', `\ngpgsig -----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----\n\n`),
    signCommitText(signed, makePrivateKey(), 'sha1'),
  ];
  for (const other of others) assert.is(readCommitSignerKey(other, 'sha1'), null, other);
});

for (const format of ['sha1', 'sha256'] as const)
  verified(`stock git verifies such a commit, ${format}`, () => {
    const repo: TestRepo = makeRepo({ objectFormat: format });
    const tree = repo.git('mktree', '--missing');
    const text = commit.replace(/^tree .*/, `tree ${tree}`);
    repo.write('.git/commit', signCommitText(text, key, format));
    const oid = repo.git('hash-object', '-t', 'commit', '-w', '.git/commit');
    const bytes = Buffer.from(publicKeyOf(key), 'base64url');
    const name = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20', 'latin1');
    const line = `ssh-ed25519 ${Buffer.concat([name, bytes]).toString('base64')}`;
    repo.write('.git/signers', `ben/1 ${line}\n`);
    const settings = ['-c', `gpg.ssh.allowedSignersFile=${repo.path}/.git/signers`];
    const verify = (args: readonly string[]): string =>
      execFileSync('git', [...args, 'log', '-1', '--format=%G? %GS', oid], {
        cwd: repo.path,
        env: repo.env,
        encoding: 'utf8',
      });
    assert.is(verify(settings).trim(), 'G ben/1');
  });

test.run();
