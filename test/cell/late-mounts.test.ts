import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openStage } from './hostile-stage.ts';

// On most machines mounts are shared: what is mounted later appears in every namespace that follows. Here they may
// not be, so the test runs itself again where they are.
const marker = 'FLAME_TEST_SHARED_MOUNTS';
const share = ['-rm', 'sh', '-c', 'mount --make-rshared / && exec "$@"', 'sh'];
const canShare = spawnSync('unshare', [...share, 'true']).status === 0;

if (process.env[marker] === '1') {
  test('mounts of a cell follow no others', async () => {
    const { attack } = await openStage();
    const { said } = await attack('grep -c " master:" /proc/self/mountinfo; grep -c shared: /proc/self/mountinfo');
    assert.match(said, /^0\n0\n/);
  });
} else {
  testIf(
    test,
    hasBubblewrap() && canShare,
    'no mounts can be shared here',
  )('SBX-2 what is mounted while an agent runs does not appear in its cell', () => {
    const args = [...share, process.execPath, process.argv[1] ?? ''];
    const { status, stdout } = spawnSync('unshare', args, {
      encoding: 'utf8',
      env: { ...process.env, [marker]: '1', FORCE_COLOR: '0' },
    });
    assert.is(status, 0, stdout);
    assert.match(stdout, /Passed: +1/);
  });
}

test.run();
