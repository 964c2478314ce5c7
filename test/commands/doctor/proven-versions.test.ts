import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import {
  provenFile,
  readProvenVersions,
  warnOfUnprovenVersion,
} from '../../../lib/commands/doctor/examine-programs.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { adapterNames } from '../../../lib/domain/config/known-clis.ts';

test('WAT-3: a newer version is said to be unproven, the same and an older one are not', () => {
  const known = { version: '1.2.3', date: '2026-11-22', proven: [], roles: [] };
  assert.match(warnOfUnprovenVersion('codex', '1.10.0', known) ?? '', 'codex 1.10.0 is newer than 1.2.3');
  assert.is(warnOfUnprovenVersion('codex', '1.2.3', known), null);
  assert.is(warnOfUnprovenVersion('codex', '1.2.0', known), null);
});

test('ADP-2: each CLI with a hook has its row of what was proven with it, and of what is weaker', () => {
  const config = configSchema.parse({});
  const hooked = adapterNames.map((name) => getAdapter(name, config)).filter(({ calls }) => calls !== null);
  assert.equal([...readProvenVersions().keys()].sort(), hooked.map(({ name }) => name).sort());
  const table = JSON.parse(readFileSync(provenFile, 'utf8'));
  for (const { name, weaker, version } of hooked) {
    assert.equal(table[name].weaker, weaker, `FLAME_UPDATE=1 with FLAME_TEST_CLIS: clis/${name}`);
    // The same seven for each, whatever else was.
    const what = table[name].proven.map((line: string) => line.split(':')[0]);
    for (const one of ['shell', 'edit', 'sub-agent', 'MCP server', 'second shell tool'])
      assert.ok(what.includes(one), `${name}: ${one}`);
    for (const one of ['hook killed', 'hook replaced']) assert.ok(what.includes(one), `${name}: ${one}`);
    assert.ok(version.minimum !== null);
  }
});

test.run();
