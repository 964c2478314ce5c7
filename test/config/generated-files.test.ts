import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { listKeyPaths, renderConfigJsonSchema } from '../../lib/config/json-schema.ts';
import { defaultConfig, parseConfig } from '../../lib/config/load-config.ts';
import { renderExampleConfig } from '../../lib/config/render-example-config.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';

// FLAME_UPDATE=1 writes the files anew.
const schemaFile = 'templates/blueflame.schema.json';
const exampleFile = '.blueflame.example.yml';

function updateFile(file: string, text: string): string {
  if (process.env.FLAME_UPDATE === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return `${file} is stale: FLAME_UPDATE=1 node build/test/run.js generated-files && npm run format`;
}

test('the JSON Schema is that of the zod schema (CFG-8)', () => {
  const text = renderConfigJsonSchema();
  const stale = updateFile(schemaFile, text);
  // The file is laid out by the formatter.
  assert.equal(JSON.parse(readFileSync(schemaFile, 'utf8')), JSON.parse(text), stale);
});

test('the example is that of the zod schema (CFG-8)', () => {
  const text = renderExampleConfig('./templates/blueflame.schema.json');
  const stale = updateFile(exampleFile, text);
  assert.is(readFileSync(exampleFile, 'utf8'), text, stale);
});

test('the example shows every key of the schema, each below a comment', () => {
  const text = readFileSync(exampleFile, 'utf8');
  const example: unknown = parse(text);
  const paths = listKeyPaths(configSchema);
  assert.ok(paths.length > 90, `only ${paths.length} keys`);
  const missing = paths.filter((path) => !hasPath(example, path.split('.')));
  assert.equal(missing, []);
  const lines = text.split('\n');
  const bare = lines.filter((line, index) => /^\s*\w+:/.test(line) && !/^\s*#/.test(lines[index - 1] ?? ''));
  assert.equal(bare, []);
});

test('the example means the same as no file', () => {
  const parsed = parseConfig(readFileSync(exampleFile, 'utf8'), exampleFile);
  assert.equal(parsed.warnings, []);
  assert.equal(parsed.config, defaultConfig());
});

test('the schema knows every key of the first design', () => {
  const wanted = `project.name project.base_branch project.worktree_dir concurrency.planning concurrency.development
    concurrency.validation concurrency.merge concurrency.adaptive concurrency.adaptive_min_ram_per_agent_mb
    limits.agent_timeout limits.heartbeat_interval limits.max_retries limits.max_wave_cycles
    limits.max_session_cost_usd limits.max_session_tokens limits.token_budget.planner_usd
    limits.token_budget.planner_tokens limits.token_budget.worker_usd limits.token_budget.worker_tokens
    limits.token_budget.validator_usd limits.token_budget.validator_tokens limits.token_budget.merger_usd
    limits.token_budget.merger_tokens limits.warn_threshold sandbox.max_cpu_seconds sandbox.max_memory_mb
    sandbox.max_file_size_mb sandbox.max_open_files sandbox.allow_network sandbox.require planning.interactive
    models.planner models.worker models.validator models.merger models.groups permissions.allowed_paths
    permissions.blocked_paths permissions.allowed_tools permissions.blocked_tools
    permissions.bash_rules.allowed_commands permissions.bash_rules.blocked_patterns
    permissions.bash_rules.allowed_env validation.commit_format.pattern validation.commit_format.example
    validation.commit_format.apply_to validation.file_naming.style validation.file_naming.enforce_for
    validation.require_tests.enabled validation.require_tests.source_patterns
    validation.require_tests.test_patterns validation.file_scope.enforce validation.validator_diagnostics.enabled
    validation.validator_diagnostics.commands validation.validator_diagnostics.timeout superpowers.enabled
    superpowers.skills beads.enabled beads.archive_after_wave beads.include_failure_notes beads.memory_decay
    beads.decay_policy.summarize_after_sessions beads.decay_policy.preserve_failures_sessions hooks.post_plan
    hooks.pre_validation hooks.post_merge hooks.on_failure hooks.on_waiting adapters retention.logs`;
  const known = new Set(listKeyPaths(configSchema));
  assert.equal(
    wanted.split(/\s+/).filter((path) => !known.has(path)),
    [],
  );
});

test('every key of the schema has a description', () => {
  const missing: string[] = [];
  const visit = (json: unknown, path: string): void => {
    if (typeof json !== 'object' || json === null) return;
    const properties: unknown = Reflect.get(json, 'properties');
    for (const [key, property] of Object.entries(properties ?? {})) {
      if (path.includes('adapters') || path.includes('groups')) continue;
      if (typeof property.description !== 'string') missing.push(`${path}${key}`);
      visit(property, `${path}${key}.`);
    }
  };
  visit(JSON.parse(renderConfigJsonSchema()), '');
  assert.equal(missing, []);
});

function hasPath(value: unknown, keys: readonly string[]): boolean {
  let current: unknown = value;
  for (const key of keys) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return false;
    current = Reflect.get(current, key);
  }
  return true;
}

test.run();
