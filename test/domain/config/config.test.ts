import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configSchema } from '../../../lib/domain/config/config.ts';
import { compileRule, parseDuration, renderDuration } from '../../../lib/domain/config/config-values.ts';
import { globProblem } from '../../../lib/domain/config/glob-problem.ts';
import {
  roleAdapter,
  roleBudget,
  roleModel,
  sessionBudget,
} from '../../../lib/domain/config/role-settings.ts';

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
    assert.is(globProblem(glob), null, glob);
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
    ['src\\lib', 'holds a backslash; folders are parted by /'],
    ['src\\', 'holds a backslash; folders are parted by /'],
    ['a\nb', 'holds control characters'],
    ['{a', 'is not a valid glob: a { is never closed'],
    ['{a,{b,c}', 'is not a valid glob: a { is never closed'],
    ['a}', 'is not a valid glob: a } has no {'],
    ['[a', 'is not a valid glob: a [ is never closed'],
    ['[]', 'is not a valid glob: a [ is never closed'],
    ['[!]', 'is not a valid glob: a [ is never closed'],
    ['{1..1000000000}', 'stands for more than 1000 patterns'],
    ['{a,b}'.repeat(12), 'stands for more than 1000 patterns'],
    ['{'.repeat(500), 'is not a valid glob: a { is never closed'],
    ['{'.repeat(501), 'is longer than 500 characters'],
  ] as const) {
    assert.is(globProblem(glob), problem, glob.slice(0, 40));
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
  assert.ok(compileRule('^\\p{L}+$').test('é'));
  assert.throws(() => compileRule('a('));
});

test('a budget is in tokens where one is set, in dollars otherwise', () => {
  const config = configSchema.parse({
    limits: { max_session_tokens: 9, token_budget: { worker_tokens: 7, merger_usd: 0 } },
  });
  assert.equal(sessionBudget(config), { unit: 'tokens', limit: 9 });
  assert.equal(roleBudget(config, 'worker'), { unit: 'tokens', limit: 7 });
  assert.equal(roleBudget(config, 'planner'), { unit: 'usd', limit: 0.4 });
  assert.equal(roleBudget(config, 'merger'), { unit: 'usd', limit: 0 });
  assert.equal(sessionBudget(configSchema.parse({})), { unit: 'usd', limit: 10 });
});

test('a model is the task’s, the group’s, the role’s', () => {
  const config = configSchema.parse({
    models: { worker: 'w', groups: { ui: 'opus', docs: { validator: 'v' } } },
  });
  const task = (cohesion_group: string, model: string | null = null) => ({ cohesion_group, model });
  assert.is(roleModel(config, 'worker', task('main')), 'w');
  assert.is(roleModel(config, 'worker', task('ui')), 'opus');
  assert.is(roleModel(config, 'worker', task('ui', 'own')), 'own');
  assert.is(roleModel(config, 'worker', task('docs')), 'w');
  assert.is(roleModel(config, 'validator', task('docs')), 'v');
  assert.is(roleModel(config, 'validator', task('ui', 'own')), 'haiku');
  assert.is(roleModel(config, 'validator', task('constructor')), 'haiku');
  assert.is(roleModel(config, 'planner', null), 'sonnet');
  assert.is(roleModel(config, 'merger', task('ui')), 'sonnet');
});

test('beside an exec worker nothing needs a model', () => {
  const exec = configSchema.parse({ roles: { worker: { adapter: 'exec' } } });
  assert.equal(
    (['planner', 'worker', 'validator', 'merger'] as const).map((role) => roleAdapter(exec, role)),
    ['claude', 'exec', 'none', 'none'],
  );
  const own = configSchema.parse({
    roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } },
  });
  assert.is(roleAdapter(own, 'validator'), 'claude');
});

test.run();
