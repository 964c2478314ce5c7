import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { migrateConfigText } from '../../lib/config/migrate-config.ts';
import { parseConfig } from '../../lib/config/parse-config.ts';
import { errorOf } from './support.ts';

const old = `# head

# the version
schema_version: 0 # v

project:
  # where it is
  repo: /y
  # its name
  name: x   # trailing
  tasks_file: a.yaml

limits:
  # budgets
  token_budget:
    worker_usd: 1
    # warn early
    warn_threshold: 0.5 # half
  max_retries: 3
`;

test('version 0 is rewritten with its comments (CFG-2)', () => {
  const { text, changed } = migrateConfigText(old);
  assert.ok(changed);
  assert.is(
    text,
    `# head

# the version
schema_version: 1 # v

project:
  # where it is
  # its name
  name: x # trailing

limits:
  # budgets
  token_budget:
    worker_usd: 1
  max_retries: 3
  # warn early
  warn_threshold: 0.5 # half
`,
  );
  assert.equal(migrateConfigText(text), { text, changed: false });
});

test('the rewritten file means what the old one meant', () => {
  for (const text of [
    old,
    'schema_version: 0\nlimits: {token_budget: {warn_threshold: 0.1}}\n',
    'schema_version: 0\nlimits: {warn_threshold: 0.2, token_budget: {warn_threshold: 0.1, worker_tokens: 5}}\n',
    'schema_version: 0\nproject: {repo: x}\n',
    '{schema_version: 0, project: {name: a, tasks_file: b}}\n',
  ]) {
    const migrated = migrateConfigText(text).text;
    const [before, after] = [parseConfig(text, 'f'), parseConfig(migrated, 'f')];
    assert.equal(after.config, before.config, text);
    assert.is(after.digest, before.digest);
    assert.is(before.warnings.length, 1);
    assert.equal(after.warnings, []);
  }
});

test('a missing version is one line more and nothing else', () => {
  for (const [text, wanted] of [
    ['# head\n\nproject:   # x\n   name:  y\n', '# head\n\nschema_version: 1\nproject:   # x\n   name:  y\n'],
    ['\ufeffproject: {name: y}\r\n', '\ufeffschema_version: 1\r\nproject: {name: y}\r\n'],
    ['', 'schema_version: 1\n'],
    ['# only this', '# only this\nschema_version: 1\n'],
  ] as const) {
    assert.equal(migrateConfigText(text), { text: wanted, changed: true });
    assert.equal(parseConfig(wanted, 'f').warnings, []);
  }
  assert.equal(migrateConfigText('{project: {name: y}}\n').changed, true);
  assert.equal(parseConfig(migrateConfigText('{project: {name: y}}\n').text, 'f').warnings, []);
  assert.equal(parseConfig(migrateConfigText('schema_version:\nproject: {}\n').text, 'f').warnings, []);
});

test('Windows line ends stay', () => {
  const { text } = migrateConfigText('schema_version: 0\r\nproject:\r\n  name: a\r\n  repo: b\r\n');
  assert.is(text, 'schema_version: 1\r\nproject:\r\n  name: a\r\n');
});

test('what is current or newer stays as it is', () => {
  for (const text of ['schema_version: 1\nproject:   {name: x}\n', 'schema_version: 9\n']) {
    assert.equal(migrateConfigText(text), { text, changed: false });
  }
});

test('what is not YAML, or no configuration, is refused', () => {
  assert.is(errorOf(() => migrateConfigText('a: [\n')).code, 'bad-config');
  const list = errorOf(() => migrateConfigText('- a\n'));
  assert.match(list.lines.join('\n'), 'the file must be a map of keys');
});

test('mistakes in an old file are shown where they stand in it', () => {
  const error = errorOf(() =>
    parseConfig('schema_version: 0\nlimits:\n  token_budget:\n    warn_threshold: 7\n', 'f'),
  );
  assert.equal(error.lines, [
    'f:4:21  limits.warn_threshold must be at most 1',
    '      warn_threshold: 7',
    '                      ^',
    '  hint: from 0 to 1',
  ]);
});

test.run();
