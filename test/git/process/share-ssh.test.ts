import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPlainSsh } from '../../../lib/git/process/share-ssh.ts';

test('options are added to nothing but OpenSSH with options', () => {
  for (const plain of ['ssh', 'ssh -i ~/.ssh/key -F /dev/null', '/usr/bin/ssh -i "a b"'])
    assert.ok(isPlainSsh(plain), plain);
  for (const other of [
    ...['', 'plink', 'wrapper ssh', 'ssh; x', 'ssh | x', 'ssh $X', 'ssh "$(x)"', 'ssh -i a #', 'A=b ssh'],
    ...['ssh -S none', 'ssh -o ControlPath=none', 'ssh -i "a', 'ssh --', 'ssh\nx'],
  ])
    assert.not.ok(isPlainSsh(other), other);
});

test.run();
