import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listKeyPaths } from '../../lib/config/json-schema.ts';
import { diffConfigs, renderConfigWithOrigins } from '../../lib/config/list-config-values.ts';
import { defaultConfig, parseConfig } from '../../lib/config/load-config.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';

const read = (text: string) => parseConfig(text, '.blueflame.yml').config;

function explained(text: string): ReadonlyMap<string, string> {
  const lines = renderConfigWithOrigins(read(text), text).map((line) => line.replace(/ +\(/, ' ('));
  return new Map(lines.map((line) => [line.split(' = ')[0] ?? '', line]));
}

test('every value says where it comes from', () => {
  const lines = explained(`# comment
project:
  name: x
  base_branch:
limits: {agent_timeout: 90, max_session_tokens: 5,
  token_budget: {warn_threshold: 0.5}}
models:
  groups:
    docs: haiku
permissions:
  allowed_paths:
    - src/**
`);
  const wanted = [
    'project.name = x (.blueflame.yml:3)',
    'project.base_branch = null (default)',
    'limits.agent_timeout = 1m30s (.blueflame.yml:5)',
    'limits.heartbeat_interval = 30s (default)',
    'limits.max_session_tokens = 5 (.blueflame.yml:5)',
    'limits.max_session_cost_usd = 0 (follows from .blueflame.yml)',
    'limits.warn_threshold = 0.5 (.blueflame.yml:6)',
    'models.groups.docs = haiku (.blueflame.yml:9)',
    'permissions.allowed_paths = ["src/**"] (.blueflame.yml:11)',
    'hooks.post_plan = "" (default)',
  ];
  assert.equal(
    wanted.filter((line) => lines.get(line.split(' = ')[0] ?? '') !== line),
    [],
  );
});

test('without a file everything is a default, and nothing is left out', () => {
  const lines = renderConfigWithOrigins(defaultConfig(), null);
  assert.ok(lines.every((line) => line.endsWith('(default)')));
  const shown = new Set(lines.map((line) => line.split(' = ')[0]));
  const paths = listKeyPaths(configSchema);
  const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
  assert.equal(
    leaves.filter((path) => !shown.has(path)),
    [],
  );
});

test('old files are explained by their own lines', () => {
  const lines = explained('schema_version: 0\nlimits:\n  token_budget:\n    warn_threshold: 0.5\n');
  assert.is(lines.get('limits.warn_threshold'), 'limits.warn_threshold = 0.5 (.blueflame.yml:4)');
});

test('two configurations differ in effective values (CFG-7)', () => {
  const before = read('limits: {agent_timeout: 300s}\nmodels: {groups: {a: opus}}\n');
  const after = read(
    'limits: {agent_timeout: 10m, max_session_tokens: 7}\nmodels: {groups: {b: opus}}\npermissions: {allowed_paths: [src/**, test/**]}\n',
  );
  assert.equal(diffConfigs(before, after), [
    { path: 'limits.agent_timeout', before: '5m', after: '10m' },
    { path: 'limits.max_session_cost_usd', before: '10', after: '0' },
    { path: 'limits.max_session_tokens', before: '0', after: '7' },
    { path: 'models.groups.a', before: 'opus', after: null },
    { path: 'permissions.allowed_paths', before: '["**"]', after: '["src/**", "test/**"]' },
    { path: 'models.groups.b', before: null, after: 'opus' },
  ]);
  assert.equal(diffConfigs(before, read('# same\nmodels: {groups: {a: opus}}\n')), []);
});

test.run();
