import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFastestWatcherClient } from '../../../lib/cell/probes/probe-watcher.ts';
import { makeRunnerContext } from '../../../lib/cell/run/make-context.ts';
import type { RunnerContext } from '../../../lib/cell/runner-context.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { claudeHooks, distDir, openCellFixture, scriptAdapter } from '../fixture.ts';

const compiled = testIf(
  test,
  existsSync(join(distDir, 'watcher')),
  'no native client was built: a compiler is missing',
);

compiled('WAT-8: the client that works and is fastest is used', async () => {
  const tools = copyOfTools();
  const context = await openContext(tools);
  assert.is(await findFastestWatcherClient(context), 'native');
  rmSync(join(tools, 'watcher'));
  assert.is(await findFastestWatcherClient(context), 'node');
  assert.equal(readdirSync(join(context.repository.commonDir, 'blueflame/run')), []);
});

test('WAT-2: a client that lets a blocked call through, or blocks an allowed one, is not used', async () => {
  for (const broken of ['exit 0', 'exit 2', 'exit 1', 'kill -9 $$', 'syntax (']) {
    const tools = copyOfTools();
    writeFileSync(join(tools, 'watcher'), `#!/bin/sh\n${broken}\n`);
    assert.is(await findFastestWatcherClient(await openContext(tools)), 'node', broken);
  }
});

compiled('WAT-2: a native client of another kind of machine is not used', async () => {
  const tools = copyOfTools();
  const program = readFileSync(join(tools, 'watcher'));
  program.writeUInt16LE(0xfeed, elfMachineOffset);
  writeFileSync(join(tools, 'watcher'), program);
  assert.is(await findFastestWatcherClient(await openContext(tools)), 'node');
});

const elfMachineOffset = 18;

test('WAT-2: where no client works, no agent starts', async () => {
  const tools = copyOfTools();
  rmSync(join(tools, 'watcher'), { force: true });
  writeFileSync(join(tools, 'watcher.cjs'), 'process.exit(0)');
  const error = await findFastestWatcherClient(await openContext(tools)).catch((caught: unknown) => caught);
  assert.is((error as { code?: string }).code, 'watcher-broken');
  assert.match((error as { lines: string[] }).lines.join('\n'), /^node: allowed 0 canary 0$/);
});

function copyOfTools(): string {
  const folder = makeTempDir();
  cpSync(distDir, folder, { recursive: true });
  return folder;
}

async function openContext(tools: string): Promise<RunnerContext> {
  const repo = makeRepo();
  const { repository } = await openGit({ cwd: repo.path, env: repo.env });
  return makeRunnerContext({
    config: configSchema.parse({}),
    repository,
    env: repo.env,
    adapters: () => scriptAdapter,
    distDir: tools,
    now: () => new Date(),
  });
}

test('WAT-2: a program that is replaced while an agent runs judges on as it was', async () => {
  const own = makeTempDir('flame-dist');
  cpSync(distDir, own, { recursive: true });
  const { runner, request, cell } = await openCellFixture({ distDir: own, adapter: claudeHooks });
  const call = {
    tool_name: 'Write',
    tool_input: { file_path: join(cell.path, 'secret.key') },
    cwd: cell.path,
  };
  const script = `touch ready; until [ -e go ]; do sleep 0.05; done
    printf '%s' '${JSON.stringify(call)}' | sh -c "$HOOK || exit 2" 2>/dev/null; echo "ended $?"`;
  const agent = await runner.start(request({ prompt: script }), () => undefined);
  await until('the agent is ready', () => existsSync(join(cell.path, 'ready')));
  // A shell that is to run an empty file finds nothing wrong.
  for (const name of ['watcher', 'watcher.cjs']) if (existsSync(join(own, name))) writeFileSync(join(own, name), '');
  writeFileSync(join(cell.path, 'go'), '');
  assert.match((await agent.outcome).text, /^ended 2$/m);
});

test.run();
