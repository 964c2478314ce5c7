import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import {
  chooseAdapterAndModel,
  findRoleAdapter,
  findRoleModel,
  readRoleBudget,
  readSessionBudget,
} from '../../../lib/domain/config/role-adapter-and-model.ts';
import {
  compileConfiguredPattern,
  describeGlobProblem,
  parseDuration,
  renderDuration,
} from '../../../lib/domain/config/value-schemas.ts';
import { agentRoles } from '../../../lib/domain/role.ts';

test('globs that are fine', () => {
  for (const glob of [
    '**',
    'src/**/*.ts',
    '.env*',
    '{a,b}/c',
    '{a,{b,c}}',
    '[a-z]*',
    '[!a]',
    '[]a]',
    '[!]a]',
    'a[[:alpha:]]',
    '\\{a',
    'a\\[b',
    '@(a|b)',
    '!(a)'.slice(1),
    './src/',
    'src/',
    '日本/*',
    'a..b',
    '...',
    '{1..9}',
    '#x',
    'a b',
  ]) {
    assert.is(describeGlobProblem(glob), null, glob);
  }
});

test('globs that are not', () => {
  for (const [glob, problem] of [
    ['', 'is empty'],
    ['/etc/**', 'must be relative to the repository and stay inside it'],
    ['C:/x', 'must be relative to the repository and stay inside it'],
    ['..', 'must be relative to the repository and stay inside it'],
    ['a/../b', 'must be relative to the repository and stay inside it'],
    ['!a', 'begins with !, but a path rule cannot be negated'],
    ['src\\lib', 'has a backslash; separate folders with /'],
    ['src\\', 'has a backslash; separate folders with /'],
    ['a\nb', 'has control characters'],
    ['{a', 'is not a valid glob: a { is never closed'],
    ['{a,{b,c}', 'is not a valid glob: a { is never closed'],
    ['a}', 'is not a valid glob: a } has no {'],
    ['[a', 'is not a valid glob: a [ is never closed'],
    ['[]', 'is not a valid glob: a [ is never closed'],
    ['[!]', 'is not a valid glob: a [ is never closed'],
    ['{1..1000000000}', 'expands to more than 1000 patterns'],
    ['{a,b}'.repeat(12), 'expands to more than 1000 patterns'],
    ['{'.repeat(500), 'is not a valid glob: a { is never closed'],
    ['{'.repeat(501), 'is longer than 500 characters'],
  ] as const) {
    assert.is(describeGlobProblem(glob), problem, glob.slice(0, 40));
  }
});

test('durations', () => {
  for (const [text, milliseconds] of [
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1.5m', 90_000],
    ['250ms', 250],
    ['30d', 2_592_000_000],
    [5, 5_000],
    [0.25, 250],
  ] as const) {
    assert.is(parseDuration(text), milliseconds);
    assert.is(parseDuration(renderDuration(milliseconds)), milliseconds);
  }
  for (const bad of ['', 's', '5', '5 s', '1m30', '-1s', '1s;', '１s', Number.NaN, -1, 1e30]) {
    assert.is(parseDuration(bad), null, String(bad));
  }
  assert.equal([90_000, 0, 61, 86_400_000].map(renderDuration), ['1m30s', '0s', '61ms', '1d']);
});

test('rules compile as Unicode patterns', () => {
  assert.ok(compileConfiguredPattern('^\\p{L}+$').test('é'));
  assert.throws(() => compileConfiguredPattern('a('));
});

test('a budget is in tokens where one is set, in dollars otherwise', () => {
  const config = configSchema.parse({
    limits: { max_session_tokens: 9, token_budget: { worker_tokens: 7, merger_usd: 0 } },
  });
  assert.equal(readSessionBudget(config), { unit: 'tokens', limit: 9 });
  assert.equal(readRoleBudget(config, 'worker'), { unit: 'tokens', limit: 7 });
  assert.equal(readRoleBudget(config, 'planner'), { unit: 'usd', limit: 0.4 });
  assert.equal(readRoleBudget(config, 'merger'), { unit: 'usd', limit: 0 });
  assert.equal(readSessionBudget(configSchema.parse({})), { unit: 'usd', limit: 10 });
});

test('a model is the task’s, the group’s, the role’s', () => {
  const config = configSchema.parse({
    models: { worker: 'w', groups: { ui: 'opus', docs: { validator: 'v' } } },
  });
  const task = (cohesion_group: string, model: string | null = null) => ({
    ...{ cohesion_group, model, adapter: null },
  });
  assert.is(findRoleModel(config, 'worker', task('main')), 'w');
  assert.is(findRoleModel(config, 'worker', task('ui')), 'opus');
  assert.is(findRoleModel(config, 'worker', task('ui', 'own')), 'own');
  assert.is(findRoleModel(config, 'worker', task('docs')), 'w');
  assert.is(findRoleModel(config, 'validator', task('docs')), 'v');
  assert.is(findRoleModel(config, 'validator', task('ui', 'own')), 'haiku');
  assert.is(findRoleModel(config, 'validator', task('constructor')), 'haiku');
  assert.is(findRoleModel(config, 'planner', null), 'sonnet');
  assert.is(findRoleModel(config, 'merger', task('ui')), 'sonnet');
});

test('ADP-1 who works on a task: its own choice, its group’s, the role’s, the default of all, claude', () => {
  const config = configSchema.parse({
    roles: { default: { adapter: 'codex' }, worker: { adapter: 'gemini' } },
    models: {
      worker: 'gemini-3.8-flash',
      groups: {
        docs: { worker: { adapter: 'kimi', model: 'kimi-k3' }, validator: { adapter: 'claude' } },
        ui: 'gemini-2.5-flash',
        api: { worker: { adapter: 'codex' } },
      },
    },
  });
  const task = (cohesion_group: string, own: { adapter?: string; model?: string } = {}) => ({
    ...{ cohesion_group, adapter: null, model: null },
    ...own,
  });
  const choices = [
    ['worker', task('main'), 'gemini', 'gemini-3.8-flash'],
    ['worker', task('ui'), 'gemini', 'gemini-2.5-flash'],
    ['worker', task('docs'), 'kimi', 'kimi-k3'],
    ['validator', task('docs'), 'claude', 'haiku'],
    ['validator', task('ui'), 'codex', 'gpt-5.4-mini'],
    // A model that was named beside another adapter is not asked of this one.
    ['worker', task('api'), 'codex', 'gpt-5.5'],
    ['worker', task('docs', { adapter: 'claude' }), 'claude', 'sonnet'],
    ['worker', task('docs', { adapter: 'gemini' }), 'gemini', 'gemini-3.8-flash'],
    ['worker', task('docs', { model: 'kimi-k2.6' }), 'kimi', 'kimi-k2.6'],
    ['worker', task('docs', { adapter: 'claude', model: 'opus' }), 'claude', 'opus'],
    // What a task or its group says is not said of the other roles.
    ['validator', task('main', { adapter: 'kimi', model: 'kimi-k3' }), 'codex', 'gpt-5.4-mini'],
    ['merger', task('docs', { adapter: 'claude' }), 'codex', 'gpt-5.5'],
    ['planner', null, 'codex', 'gpt-5.5'],
  ] as const;
  for (const [role, of, adapter, model] of choices)
    assert.equal(chooseAdapterAndModel(config, role, of), { adapter, model }, `${role} ${JSON.stringify(of)}`);
});

test('ADP-1 one setting changes all roles, and none changes nothing', () => {
  const all = (config: object) =>
    agentRoles.map((role) => Object.values(chooseAdapterAndModel(configSchema.parse(config), role, null)).join(' '));
  assert.equal(all({}), ['claude sonnet', 'claude sonnet', 'claude haiku', 'claude sonnet', 'claude sonnet']);
  assert.equal(all({ roles: { default: { adapter: 'kimi' } } }), Array(5).fill('kimi kimi-k2.6'));
  const own = { roles: { default: { adapter: 'opencode' } }, models: { default: 'openai/gpt-5.5' } };
  assert.equal(all(own), Array(5).fill('opencode openai/gpt-5.5'));
});

test('ADP-1 a group is never worked on by a script: who names groups would say what is run', () => {
  const groups = { docs: { worker: { adapter: 'exec' } } };
  assert.throws(() => configSchema.parse({ models: { groups } }), /codex, opencode, gemini, kimi/);
});

test('beside an exec worker nothing needs a model', () => {
  const exec = configSchema.parse({ roles: { worker: { adapter: 'exec' } } });
  assert.equal(
    (['planner', 'worker', 'validator', 'merger'] as const).map((role) => findRoleAdapter(exec, role)),
    ['claude', 'exec', 'none', 'none'],
  );
  const own = configSchema.parse({
    roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } },
  });
  assert.is(findRoleAdapter(own, 'validator'), 'claude');
});

test.run();
