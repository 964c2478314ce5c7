import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPlainSsh, maySshShareConnection, parseSshTarget } from '../../../lib/git/process/share-ssh.ts';

test('where ssh connects to is read from the URLs that git reaches by ssh, and from no others', () => {
  const targets = [
    ['ssh://git@example.com/a/b.git', ['git@example.com']],
    ['ssh://git@example.com:2222/a/b.git', ['-p', '2222', 'git@example.com']],
    ['git@example.com:a/b.git', ['git@example.com']],
    ['example.com:/a/b.git', ['example.com']],
    ['https://example.com/a.git', null],
    ['file:///a/b', null],
    ['ext::sh -c x', null],
    ['/a/b', null],
    ['./a:b', null],
    ['ssh://-oProxyCommand=x/a', null],
    ['-oProxyCommand=x:a', null],
    ['ssh://[::1]:22/a', null],
  ] as const;
  for (const [url, target] of targets) assert.equal(parseSshTarget(url), target, url);
});

test('options are added to nothing but OpenSSH with options', () => {
  for (const plain of ['ssh', 'ssh -i ~/.ssh/key -F /dev/null', '/usr/bin/ssh -i "a b"'])
    assert.ok(isPlainSsh(plain), plain);
  for (const other of [
    ...['', 'plink', 'wrapper ssh', 'ssh; x', 'ssh | x', 'ssh $X', 'ssh "$(x)"', 'ssh -i a #', 'A=b ssh'],
    ...['ssh -S none', 'ssh -o ControlPath=none', 'ssh -i "a', 'ssh --', 'ssh\nx'],
  ])
    assert.not.ok(isPlainSsh(other), other);
});

test('a person who shares connections to a host, runs something beside, or has an old ssh is left alone', () => {
  const plain = 'OpenSSH_9.2p1, OpenSSL 3\nhostname example.com\ncontrolmaster false\npermitlocalcommand no';
  assert.ok(maySshShareConnection(plain));
  for (const row of ['controlpath /run/x', 'localcommand x', 'remotecommand x'])
    assert.not.ok(maySshShareConnection(`${plain}\n${row}`), row);
  assert.not.ok(maySshShareConnection(plain.replace('false', 'auto')));
  assert.not.ok(maySshShareConnection(plain.replace('9.2p1', '8.4p1')));
  assert.not.ok(maySshShareConnection(''));
});

test.run();
