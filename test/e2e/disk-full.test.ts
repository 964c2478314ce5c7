import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';

const probe = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt']);
const onSmallDisk = testIf(test, probe.status === 0, 'a small disk cannot be mounted here: a full one is not tested');

/**
 * Runs a shell script in a mount namespace of its own, `$disk` being a disk of so many megabytes with a copy of
 * the repository, `$out` a folder outside, `flame` the program.
 */
function onDisk(repo: TestRepo, megabytes: number, script: string): { read(name: string): string; told: string } {
  const [disk, out] = [makeTempDir('flame-disk'), makeTempDir('flame-out')];
  const whole = [
    `mount -t tmpfs -o size=${megabytes}m none ${disk}`,
    `mkdir ${disk}/tmp`,
    `cp -a ${repo.path} ${disk}/repo`,
    `cd ${disk}/repo`,
    `flame() { ${process.execPath} ${join(packageRoot(), 'bin/git-flame')} "$@"; }`,
    script,
  ].join('\n');
  const run = spawnSync('unshare', ['-rm', '--propagation', 'private', 'sh', '-e', '-c', whole], {
    env: { ...repo.env, disk, out, TMPDIR: join(disk, 'tmp') },
    encoding: 'utf8',
    timeout: 90_000,
  });
  return { read: (name) => readFileSync(join(out, name), 'utf8'), told: `${run.stdout}${run.stderr}` };
}

/** A session with an approved plan, about to work. */
async function makePlanned(script: string): Promise<TestRepo> {
  const repo = makeExecProject({ config: { concurrency: { development: 1, validation: 1 } } });
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/'], group: 'one' }]);
  writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const planned = await flame(repo, ['plan', 'Fill', '--from', plan, '--decisions-file', '.git/decisions.yml']);
  assert.is(planned.code, 0, planned.stderr);
  return repo;
}

onSmallDisk('PLN-1 too little disk is told before anything is stored', () => {
  const repo = makeExecProject();
  writePlan(repo, [{ id: 'task-001', script: 'true', locks: ['src/'] }]);
  const { read, told } = onDisk(
    repo,
    20,
    'flame run Fill --from .git/plan.yml 2>$out/told || echo $? >$out/code; git for-each-ref refs/blueflame >$out/refs',
  );
  assert.is(read('code'), '128\n', told);
  assert.match(read('told'), /MB of disk are free, but \d+ agents? needs? \d+ MB/);
  assert.is(read('refs'), '');
});

onSmallDisk('CLI-6 a full disk where no session is to resume names the same command again', () => {
  const repo = makeExecProject();
  const { read, told } = onDisk(
    repo,
    8,
    [
      'cat /dev/zero >$disk/fill 2>$out/filled || true',
      'flame task add One --locks a.txt >$out/said 2>$out/told || echo $? >$out/code',
    ].join('\n'),
  );
  assert.is(read('code'), '128\n', told);
  assert.match(
    read('told'),
    /The disk is full: .*\nnext: Free some disk or inodes, then run the same command again\.\n/,
  );
});

onSmallDisk('DSK-2 a review that a full disk has no room for leaves the file from before as it was', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'task-001', script: 'seq 5000 > src/one.txt', locks: ['src/'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const { code, stderr } = await flame(repo, ['run', 'Count', '--from', plan, '--decisions-file', decisions]);
  assert.is(code, 2, stderr);
  const { read, told } = onDisk(
    repo,
    8,
    [
      'echo before >$disk/review.html',
      'cat /dev/zero >$disk/fill 2>$out/filled || true',
      'flame review --export $disk/review.html >$out/said 2>$out/told || echo $? >$out/code',
      'cp $disk/review.html $out/review; ls $disk >$out/left',
    ].join('\n'),
  );
  assert.is(read('code'), '128\n', told);
  assert.match(read('told'), /error: \S+review\.html can't be written: the disk is full\.\nnext: /);
  assert.is(read('review'), 'before\n');
  assert.equal(read('left').trim().split('\n'), ['fill', 'repo', 'review.html', 'tmp']);
});

onSmallDisk(
  'a disk that an agent fills: told in one sentence, nothing half done, and with room again it goes on',
  async () => {
    const fill =
      'if [ "$FLAME_ATTEMPT" = 1 ]; then for i in 1 2 3 4 5 6 7 8; do cat /dev/zero | head -c 4m > src/fill$i || true; done; else echo whole > src/one.txt; fi';
    const repo = await makePlanned(fill);
    const { read, told } = onDisk(
      repo,
      16,
      [
        'flame resume --decisions-file .git/decisions.yml >$out/said 2>$out/told || echo $? >$out/code',
        'git fsck --strict --no-dangling >$out/fsck 2>&1',
        'git log --format=%s main >$out/landed',
        'mount -o remount,size=120m $disk',
        'flame resume --decisions-file .git/decisions.yml >$out/again 2>&1 || echo $? >$out/code-again',
        'git show main:src/one.txt >$out/one',
        'git fsck --strict --no-dangling >>$out/fsck 2>&1',
        'find .git/objects .git/refs .git/blueflame/locks -name "*.lock" -o -name "tmp_obj*" >$out/left',
      ].join('\n'),
    );
    assert.is(read('code'), '128\n', told + read('told'));
    assert.match(read('told'), /error: The disk is full: [^\n]*\n.*Free some disk or inodes, then: git flame resume/s);
    assert.is(read('landed').includes('one:'), false);
    assert.is(read('one'), 'whole\n', read('again'));
    assert.is(read('fsck'), '');
    assert.is(read('left'), '');
  },
);

test.run();
