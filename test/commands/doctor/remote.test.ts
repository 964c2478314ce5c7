import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flameJson } from '../../support/flame.ts';
import { makeMachines } from '../../support/machine-rig.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Found {
  readonly check: string;
  readonly result: string;
  readonly message: string;
}

async function examine(repo: TestRepo, more: readonly string[] = []): Promise<ReadonlyMap<string, Found>> {
  const { lines } = await flameJson(repo, ['doctor', '--repair', '--remote', 'origin', ...more]);
  const found = (lines[0]?.findings ?? []) as readonly Found[];
  return new Map(found.filter(({ check }) => check.startsWith('remote')).map((one) => [one.check, one]));
}

test('DST-1 doctor tries what machines need of a remote, names its numbers, and leaves nothing there', async () => {
  const { remote, lead } = makeMachines(1, [], { lease: '6s', renew: '1s' });
  const { repo } = lead;
  const before = remote.git('for-each-ref');
  const found = await examine(repo);
  assert.equal(
    [...found].map(([check, { result }]) => [check, check === 'remote-time' ? 'tried' : result]),
    [...['remote-refs', 'remote-claims', 'remote-deletes'].map((check) => [check, 'proven']), ['remote-time', 'tried']],
  );
  assert.match(
    found.get('remote-time')?.message ?? '',
    /sends a heartbeat every 1\.0 s, .* loses its claims after 6\.0 s without one/,
  );
  assert.is(remote.git('for-each-ref'), before);
  assert.equal([...(await examine(repo, ['--dry-run'])).keys()], ['remote']);
});

test('DST-1 a remote that is not fit is named by what it lacks', async () => {
  const { remote, lead } = makeMachines(1, []);
  const { repo } = lead;
  const script = 'while read -r o n ref; do case $ref in refs/heads/*|refs/tags/*) ;; *) echo no; exit 1;; esac; done';
  const hook = join(remote.path, 'hooks/pre-receive');
  writeFileSync(hook, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const refused = (await examine(repo)).get('remote-refs');
  assert.is(refused?.result, 'missing');
  assert.match(refused?.message ?? '', /origin rejects refs\/blueflame\/machines\/.*: pre-receive hook declined/);
  writeFileSync(hook, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  remote.git('config', 'receive.advertiseAtomic', 'false');
  assert.match((await examine(repo)).get('remote-refs')?.message ?? '', /does not support atomic pushes/);
  repo.git('remote', 'set-url', 'origin', '/nonexistent/remote.git');
  assert.is((await examine(repo)).get('remote-refs')?.result ?? 'missing', 'missing');
  assert.is((await examine(repo, ['--dry-run'])).get('remote')?.result, 'missing');
});

test.run();
