import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runProbeCell } from '../../../lib/cell/probes/probe-cell.ts';
import { makeRunnerContext } from '../../../lib/cell/run/make-context.ts';
import { makeRunFolder } from '../../../lib/cell/run-folder.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { makeRepo } from '../../support/repo.ts';
import { distDir, scriptAdapter } from '../fixture.ts';

async function probe(script: string) {
  const repo = makeRepo();
  const { repository } = await openGit({ cwd: repo.path, env: repo.env });
  const context = makeRunnerContext({
    config: configSchema.parse({}),
    repository,
    env: repo.env,
    adapters: () => scriptAdapter,
    distDir,
    now: () => new Date(),
  });
  const folder = makeRunFolder(repository.commonDir, 'probe-1a2b3c4d');
  const argv = ['/bin/sh', '-c', script];
  try {
    return await runProbeCell(context, { name: 'probe-1a2b3c4d', folder, argv, timeoutMs: 3_000 });
  } finally {
    await folder.remove();
  }
}

test('UNI-7 a probe that runs out of time, as where the machine slept, is run once more', async () => {
  const end = await probe('if [ -e begun ]; then echo done; else touch begun; sleep 300; fi');
  assert.equal([end.exitCode, end.output], [0, 'done\n']);
});

test('UNI-7 one that runs out of time twice proves nothing', async () => {
  const end = await probe('echo begun; sleep 300');
  assert.is.not(end.exitCode, 0);
});

test.run();
