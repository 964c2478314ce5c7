import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import type { Adapter } from '../../lib/domain/ports/adapter.ts';
import { findClaude } from '../support/model-namespace.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openCellFixture } from './fixture.ts';

const claude = findClaude() ?? 'claude';
const canRun = hasBubblewrap() && findClaude() !== null;
const withClaude = testIf(test, canRun, 'needs bubblewrap and the pinned Claude Code');

const adapter = getAdapter('claude', configSchema.parse({ adapters: { claude: { command: [claude] } } }));

withClaude('WAT-3: settings the CLI ignores silently are found out', async () => {
  const flat = withSettings((settings) => ({
    ...settings,
    hooks: { PreToolUse: [{ type: 'command', command: 'exit 2' }] },
  }));
  const { runner } = await openCellFixture({ adapter: flat });
  const { denied, details } = await runner.canary('claude', 'sonnet');
  assert.is(denied, false);
  assert.match(details, /the watcher was not asked/);
});

withClaude('WAT-2: a hook that is not the watcher is found out', async () => {
  const careless = withSettings((settings, hooks) => ({
    ...settings,
    hooks: {
      ...hooks,
      PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'exit 1', timeout: 5 }] }],
    },
  }));
  const { runner } = await openCellFixture({ adapter: careless });
  const { denied, details } = await runner.canary('claude', 'sonnet');
  assert.is(denied, false);
  assert.match(details, /the forbidden file was written/);
});

test('PLN-1: a CLI that is missing, old or something else is named with its cure', async () => {
  const missing = await openCellFixture({ adapter: { command: ['no-such-agent'] } });
  assert.is(await codeOf(missing.runner.checkAdapter('x')), 'agent-missing: Install bash.');
  const old = await openCellFixture({
    adapter: { version: { args: ['--version'], minimum: '99.1', parse: () => '5.2', install: 'Get 99.' } },
  });
  assert.is(await codeOf(old.runner.checkAdapter('x')), 'agent-too-old: Get 99.');
  const other = await openCellFixture({ adapter: { command: ['true'] } });
  assert.is(await codeOf(other.runner.checkAdapter('x')), 'agent-missing: Install bash.');
});

test('an adapter without tool calls needs no canary', async () => {
  const { runner } = await openCellFixture();
  assert.is((await runner.canary('script', '')).denied, true);
});

function withSettings(change: (settings: Record<string, unknown>, hooks: Record<string, unknown>) => unknown): Adapter {
  return {
    ...adapter,
    launch(request, paths) {
      const launch = adapter.launch(request, paths);
      const files = launch.files.map((file) => {
        if (!file.path.endsWith('settings.json')) return file;
        const settings = JSON.parse(file.content);
        return { ...file, content: JSON.stringify(change(settings, settings.hooks)) };
      });
      return { ...launch, files };
    },
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason) => reason,
  );
  return `${error?.code}: ${error?.hints?.[0]}`;
}

test.run();
