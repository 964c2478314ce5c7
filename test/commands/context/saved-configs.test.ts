import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listConfigChanges, saveConfig } from '../../../lib/commands/run-context/run-config.ts';
import { type LoadedConfig, parseConfig } from '../../../lib/config/load-config.ts';
import { makeTempDir } from '../../support/repo.ts';

function load(text: string): LoadedConfig {
  const { config, digest, warnings } = parseConfig(text, '.blueflame.yml');
  return { config, digest, warnings, file: '.blueflame.yml', text };
}

test('CFG-7: what changed is what was written, not what this machine lacks', async () => {
  const commonDir = makeTempDir();
  const before = load('superpowers: {enabled: true}\nlimits: {max_retries: 2}\n');
  await saveConfig(commonDir, before);
  const now = load('superpowers: {enabled: true}\nlimits: {max_retries: 1}\n');
  const switchedOff = { ...now.config, superpowers: { ...now.config.superpowers, enabled: false } };
  const changes = await listConfigChanges(commonDir, before.digest, { ...now, config: switchedOff });
  assert.equal(changes, ['limits.max_retries: 2 -> 1']);
});

test.run();
