import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../lib/config/load-config.ts';
import { migrateConfigText } from '../../lib/config/migrate-config.ts';
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
schema_version: 2 # v

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
  assert.equal(migrateConfigText(text), { text, changed: false, notes: [] });
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
    ['# head\n\nproject:   # x\n   name:  y\n', '# head\n\nschema_version: 2\nproject:   # x\n   name:  y\n'],
    ['\ufeffproject: {name: y}\r\n', '\ufeffschema_version: 2\r\nproject: {name: y}\r\n'],
    ['', 'schema_version: 2\n'],
    ['# only this', '# only this\nschema_version: 2\n'],
  ] as const) {
    assert.equal(migrateConfigText(text), { text: wanted, changed: true, notes: [] });
    assert.equal(parseConfig(wanted, 'f').warnings, []);
  }
  assert.equal(migrateConfigText('{project: {name: y}}\n').changed, true);
  assert.equal(parseConfig(migrateConfigText('{project: {name: y}}\n').text, 'f').warnings, []);
  assert.equal(parseConfig(migrateConfigText('schema_version:\nproject: {}\n').text, 'f').warnings, []);
});

test('WAT-10: the one list of version 1 is split into what is blocked and what is hidden, with its comments', () => {
  const { text, notes } = migrateConfigText(`schema_version: 1
permissions:
  blocked_paths:
    - .env* # the env
    - go.mod # modules
    # keys
    - "**/*.key"
    - package-lock.json
  allowed_paths: [ "**" ]
`);
  assert.is(
    text,
    `schema_version: 2
permissions:
  blocked_paths:
    - go.mod # modules
    - package-lock.json
  hidden_paths:
    - .env* # the env
    # keys
    - "**/*.key"
  allowed_paths: [ "**" ]
`,
  );
  assert.equal(notes, [
    'permissions.hidden_paths, which agents may not see: [".env*","**/*.key"]; cells show these files empty to every program',
    'permissions.blocked_paths, which they may read but not change: ["go.mod","package-lock.json"]',
  ]);
  const parsed = parseConfig(text, 'f');
  assert.equal(parsed.warnings, []);
  assert.equal(parsed.config.permissions.hidden_paths, ['.env*', '**/*.key']);
});

test('WAT-10: a list that others name is left to them, and one of secrets alone changes its name', () => {
  const shared = migrateConfigText('permissions:\n  allowed_paths: &all [ a/**, x.key ]\n  blocked_paths: *all\n').text;
  assert.is(
    shared,
    'schema_version: 2\npermissions:\n  allowed_paths: &all [ a/**, x.key ]\n  blocked_paths: [ a/** ]\n  hidden_paths: [ x.key ]\n',
  );
  const secrets = migrateConfigText('schema_version: 1\npermissions:\n  # mine\n  blocked_paths: [ .env* ] # x\n').text;
  assert.is(secrets, 'schema_version: 2\npermissions:\n  # mine\n  hidden_paths: [ .env* ] # x\n');
  const both = 'schema_version: 1\npermissions:   {blocked_paths: [x], hidden_paths: [y]}\n';
  assert.is(migrateConfigText(both).text, both.replace('1', '2'), 'nothing else is rewritten');
});

test('Windows line ends stay', () => {
  const { text } = migrateConfigText('schema_version: 0\r\nproject:\r\n  name: a\r\n  repo: b\r\n');
  assert.is(text, 'schema_version: 2\r\nproject:\r\n  name: a\r\n');
});

test('what is current or newer stays as it is', () => {
  for (const text of ['schema_version: 2\nproject:   {name: x}\n', 'schema_version: 9\n']) {
    assert.equal(migrateConfigText(text), { text, changed: false, notes: [] });
  }
});

test('what is not YAML, or no configuration, is refused', () => {
  assert.is(errorOf(() => migrateConfigText('a: [\n')).code, 'bad-config');
  const list = errorOf(() => migrateConfigText('- a\n'));
  assert.match(list.lines.join('\n'), 'the file must be a map of keys');
});

test('mistakes in an old file are shown where they stand in it', () => {
  const error = errorOf(() => parseConfig('schema_version: 0\nlimits:\n  token_budget:\n    warn_threshold: 7\n', 'f'));
  assert.equal(error.lines, [
    'f:4:21  limits.warn_threshold must be at most 1',
    '      warn_threshold: 7',
    '                      ^',
    '  hint: from 0 to 1',
  ]);
});

test.run();
