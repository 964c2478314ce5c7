import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchDisk } from '../../lib/cell/limits/watch-disk.ts';
import { makeTempDir } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openStage } from './hostile-stage.ts';

// Agents that fill the disk, each with a limit of 6 MB.

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const { attack } = await openStage({ config: { sandbox: { max_file_size_mb: 1, max_disk_mb: 6 } } });

for (const [what, script] of [
  ['many files', 'i=0; while :; do head -c 1000000 /dev/zero > $TMPDIR/f$i; i=$((i+1)); done'],
  ['empty files', 'perl -e \'for (;;) { $i++; mkdir "d$i"; open my $f, ">", "d$i/$_" for 0 .. 9 }\''],
  [
    'files in folders too deep to name',
    `perl -e '$d = "0" x 200; for (0 .. 25) { mkdir $d; chdir $d } for (;;) { open my $f, ">", $i++; print $f "x" x 900000 }'`,
  ],
  [
    'files removed while they are open',
    `perl -e 'for (0 .. 40) { open my $f, ">", "x"; unlink "x"; print $f "x" x 900000; $f->flush; push @all, $f } sleep 300'`,
  ],
] as const) {
  inCell(`SBX-1 an agent that fills the disk with ${what} is ended, and told by which limit`, async () => {
    const { outcome } = await attack(script);
    assert.is(outcome.failure?.kind, 'limit', outcome.failure?.message);
    assert.match(outcome.failure?.message ?? '', 'more than 6 MB (sandbox.max_disk_mb)');
  });
}

test('SBX-1 what was there before is not counted, what is added is', async () => {
  const folder = makeTempDir();
  const add = (name: string): void => writeFileSync(join(folder, name), Buffer.alloc(7_000_000, 1));
  add('checkout');
  const disk = watchDisk({ folders: [folder], limitBytes: 6_000_000, pids: () => [] });
  await disk.looked();
  assert.is(disk.isFull(), false);
  await disk.looked();
  add('more');
  while (!disk.isFull()) await disk.looked();
});

test.run();
