import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import {
  describeUnproven,
  provenFile,
  readProvenVersions,
} from '../../../lib/commands/doctor/proven-versions.ts';
import { configSchema } from '../../../lib/domain/config/config.ts';
import { findCli, needsCli } from '../../support/clis.ts';
import { findClaude } from '../../support/model-namespace.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { openCellFixture } from '../fixture.ts';

// `git flame doctor` warns beyond the versions in this table. With FLAME_UPDATE=1 what is installed here is written
// into it, once its canary held; the tests beside this one prove the rest of what the table says.

const claude = findClaude();
const rows = [
  {
    name: 'claude',
    command: claude === null ? null : ([claude] as const),
    env: { ANTHROPIC_API_KEY: 'made-up' },
    model: 'sonnet',
    proven: ['canary', 'work and commit', 'replaced and killed hooks', 'budget', 'key outside'],
  },
  {
    name: 'codex',
    command: findCli('codex'),
    env: { OPENAI_API_KEY: 'made-up' },
    model: 'gpt-5.5',
    proven: [
      'canary',
      'work and commit',
      'replaced and killed hooks',
      'other shells',
      'budget',
      'key outside',
    ],
  },
  {
    name: 'opencode',
    command: findCli('opencode'),
    env: { OPENAI_API_KEY: 'made-up', ANTHROPIC_API_KEY: 'made-up' },
    model: 'openai/gpt-5.5',
    proven: [
      'canary with four APIs',
      'work and commit',
      'replaced hooks',
      'plugins of the repository',
      'budget',
    ],
  },
] as const;

for (const { name, command, env, model, proven } of rows) {
  const live = testIf(test, hasBubblewrap() && command !== null, needsCli(name));
  live(`WAT-3: the table tells of the ${name} that is installed for tests`, async () => {
    const config = configSchema.parse({ adapters: { [name]: { command: command ?? [name] } } });
    const { runner } = await openCellFixture({ adapter: getAdapter(name, config), env });
    const version = await runner.checkAdapter(name);
    assert.is((await runner.canary(name, model)).denied, true);
    if (process.env.FLAME_UPDATE === '1') {
      const table: Record<string, unknown> = JSON.parse(readFileSync(provenFile, 'utf8'));
      const row = { version, date: new Date().toISOString().slice(0, 10), proven };
      writeFileSync(provenFile, `${JSON.stringify({ ...table, [name]: row }, null, 2)}\n`);
    }
    assert.is(readProvenVersions().get(name)?.version, version);
  });
}

test('WAT-3: a newer version is said to be unproven, the same and an older one are not', () => {
  const known = { version: '1.2.3', date: '2026-11-22', proven: [] };
  assert.match(describeUnproven('codex', '1.10.0', known) ?? '', 'codex 1.10.0 is newer than 1.2.3');
  assert.is(describeUnproven('codex', '1.2.3', known), null);
  assert.is(describeUnproven('codex', '1.2.0', known), null);
});

test.run();
