import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveSuperpowers } from '../../lib/agents/superpowers.ts';
import { makeTempDir } from '../support/repo.ts';

test('PRM-3: a configured folder that holds the plugin is taken as it is', () => {
  const config = makeConfig(makePlugin(makeTempDir()));
  assert.equal(resolveSuperpowers(config, '/nonexistent'), { superpowers: config, warning: null });
});

test('PRM-3: else it is found in the list of what claude installed, old form and new', () => {
  for (const wrap of [(record: object) => record, (record: object) => [record]]) {
    const home = makeTempDir();
    const plugin = makePlugin(join(home, '.claude', 'plugins', 'cache', 'superpowers'));
    const plugins = {
      'other@x': wrap({ installPath: '/x' }),
      'superpowers@m': wrap({ installPath: plugin }),
    };
    writeFileSync(join(home, '.claude', 'plugins', 'installed_plugins.json'), JSON.stringify({ plugins }));
    assert.is(resolveSuperpowers(makeConfig(null), home).superpowers.plugin_dir, plugin);
  }
});

test('PRM-3: an absent plugin is said and switched off, not fatal', () => {
  for (const folder of ['/nonexistent', null]) {
    const { superpowers, warning } = resolveSuperpowers(makeConfig(folder), '/nonexistent-home');
    assert.is(superpowers.enabled, false);
    assert.match(warning ?? '', 'agents work without its skills');
  }
  const off = resolveSuperpowers({ ...makeConfig('/home/me/.ssh'), enabled: false }, '/nonexistent');
  assert.is(off.warning, null);
  assert.is(off.superpowers.plugin_dir, null, 'what is switched off is not shown');
});

function makeConfig(plugin_dir: string | null) {
  return { enabled: true, skills: ['test-driven-development'], plugin_dir };
}

function makePlugin(folder: string): string {
  mkdirSync(join(folder, '.claude-plugin'), { recursive: true });
  writeFileSync(join(folder, '.claude-plugin', 'plugin.json'), '{"name":"superpowers"}\n');
  return folder;
}

test.run();
