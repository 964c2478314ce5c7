import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultConfig, parseConfig } from '../../lib/config/load-config.ts';
import { defaultHiddenPaths, listMaskedPaths, listUnreadablePaths } from '../../lib/domain/config/hidden-paths.ts';
import { isPathBlockedByGlob } from '../../lib/policy/judge-path.ts';
import { errorOf, errorText, lines } from './support.ts';

const name = '.blueflame.yml';
const parse = (text: string) => parseConfig(`schema_version: 1\n${text}`, name);
const mistakes = (text: string) => errorText(() => parseConfig(text, name));

test('a file that holds only a name works (CFG-6)', () => {
  const { config, warnings } = parse('project: {name: x}');
  assert.is(config.project.name, 'x');
  assert.equal({ ...config, project: { ...config.project, name: 'project' } }, defaultConfig());
  assert.equal(warnings, []);
});

test('an empty file, one of comments and empty sections are defaults', () => {
  for (const text of ['', '\n\n', '# nothing\n', '{}', 'hooks:\n  post_plan:\n  # on_failure: x\nlimits:\n']) {
    assert.equal(parseConfig(text, name).config, defaultConfig(), JSON.stringify(text));
  }
});

test('a missing version counts as 1, with a warning (CFG-2)', () => {
  assert.equal(parseConfig('project: {name: x}', name).warnings, [
    '.blueflame.yml has no schema_version and is read as version 1; to add it: git flame config migrate',
  ]);
});

test('a newer version is refused, both versions named, whatever else is in it (CFG-2)', () => {
  const error = errorOf(() => parseConfig('schema_version: 7\nnew_things: 1\n', name));
  assert.is(error.code, 'config-too-new');
  assert.is(error.kind, 'environment');
  assert.is(error.message, '.blueflame.yml has schema_version 7, but this git-flame reads versions up to 2.');
  assert.match(error.hints.join(), /^(cd .+ && git pull|git clone .+) && npm start/);
});

test('an older version is read as the newest, with a warning (CFG-2)', () => {
  const { config, warnings } = parseConfig(
    'schema_version: 0\nproject: {repo: /x, name: n}\nlimits: {token_budget: {warn_threshold: 0.5}}\n',
    name,
  );
  assert.is(config.limits.warn_threshold, 0.5);
  assert.is(config.project.name, 'n');
  assert.equal(warnings, [
    '.blueflame.yml has schema_version 0 and is read as version 2; to rewrite it: git flame config migrate',
  ]);
});

test('WAT-10: what a file of version 1 blocks may not be seen either, with a word on how to part the two (CFG-2)', () => {
  const note =
    '.blueflame.yml: permissions.blocked_paths also hides files from agents, as in version 1; to separate the two: git flame config migrate';
  const listed = "permissions: { blocked_paths: ['.env*', go.mod, config/secrets/**] }\n";
  for (const text of [`schema_version: 1\n${listed}`, listed, `schema_version: 0\n${listed}`]) {
    const { config, warnings } = parseConfig(text, name);
    assert.ok(warnings.includes(note), text);
    assert.equal([...listUnreadablePaths(config.permissions)], ['.env*', 'go.mod', 'config/secrets/**']);
    assert.equal([...listMaskedPaths(config.permissions)], ['.env*', 'config/secrets/**'], 'programs need go.mod');
  }
  const split = parseConfig('permissions: { blocked_paths: [go.mod], hidden_paths: [.env] }\n', name);
  assert.equal([...listUnreadablePaths(split.config.permissions)], ['.env']);
  const current = parseConfig('schema_version: 2\npermissions: { blocked_paths: [go.mod] }\n', name);
  assert.equal(current.warnings, []);
  assert.equal(current.config.permissions.hidden_paths, defaultHiddenPaths);
});

test('WAT-10: environment files, keys and credentials are hidden where nothing is configured, examples are not', () => {
  const isHidden = (path: string): boolean => defaultHiddenPaths.some((glob) => isPathBlockedByGlob(glob, path));
  const hidden =
    '.env .ENV a/.env .env.local .env-prod .env_x .env.test.local .envrc a/b/.env.production x.key a/x.key k.secret key.pem tls-key.pem server.key.pem privkey1.pem id_rsa .ssh/id_ed25519 .netrc a/.pypirc .env/bin/x';
  const shown =
    '.env.example .env.sample a/.env.template .env.dist .env.local.example .env-example env.ts src/keys.ts ca.pem .npmrc .environment id_rsa.pub src/env/x.ts';
  assert.equal(
    hidden.split(' ').filter((path) => !isHidden(path)),
    [],
  );
  assert.equal(shown.split(' ').filter(isHidden), []);
});

test('versions that are none', () => {
  assert.is(
    mistakes('schema_version: one\n'),
    lines(`
      .blueflame.yml has a mistake.
      .blueflame.yml:1:17  schema_version must be a number, not text
        schema_version: one
                        ^^^`),
  );
  assert.match(mistakes('schema_version: -1\n'), 'schema_version must be at least 1');
  assert.match(mistakes('schema_version: 1.5\n'), 'schema_version must be a whole number, not 1.5');
});

test('five mistakes are shown at once, in the order of the file (CFG-1)', () => {
  const text = `schema_version: 1
limits:
  agent_timout: 5m
  heartbeat_interval: 5 minutes
concurrency:
  development: 9
permissions:
  allowed_paths: ["src/{a"]
  bash_rules:
    blocked_patterns:
      - "rm\\\\s+("
`;
  const error = errorOf(() => parseConfig(text, name));
  assert.is(error.kind, 'environment');
  assert.is(error.code, 'bad-config');
  assert.is(
    [error.message, ...error.lines].join('\n'),
    lines(String.raw`
      .blueflame.yml has 5 mistakes.
      .blueflame.yml:3:3  limits.agent_timout is not a known key
          agent_timout: 5m
          ^^^^^^^^^^^^
        hint: did you mean agent_timeout?
      .blueflame.yml:4:23  limits.heartbeat_interval is not a duration
          heartbeat_interval: 5 minutes
                              ^^^^^^^^^
        hint: write it like 90s, 5m, 1h30m or 30d
      .blueflame.yml:6:16  concurrency.development must be at most 8
          development: 9
                       ^
        hint: from 1 to 8
      .blueflame.yml:8:19  permissions.allowed_paths[0] is not a valid glob: a { is never closed
          allowed_paths: ["src/{a"]
                          ^^^^^^^^
        hint: write it like src/** or **/*.test.ts
      .blueflame.yml:11:9  permissions.bash_rules.blocked_patterns[0] is not a valid regular expression: unterminated group
              - "rm\\s+("
                ^^^^^^^^^
        hint: write a backslash before a literal character: \( \[ \. \+`),
  );
  assert.equal(error.data.problems, [
    {
      path: 'limits.agent_timout',
      line: 3,
      column: 3,
      message: 'is not a known key',
      hint: 'did you mean agent_timeout?',
    },
    {
      path: 'limits.heartbeat_interval',
      line: 4,
      column: 23,
      message: 'is not a duration',
      hint: 'write it like 90s, 5m, 1h30m or 30d',
    },
    {
      path: 'concurrency.development',
      line: 6,
      column: 16,
      message: 'must be at most 8',
      hint: 'from 1 to 8',
    },
    {
      path: 'permissions.allowed_paths[0]',
      line: 8,
      column: 19,
      message: 'is not a valid glob: a { is never closed',
      hint: 'write it like src/** or **/*.test.ts',
    },
    {
      path: 'permissions.bash_rules.blocked_patterns[0]',
      line: 11,
      column: 9,
      message: 'is not a valid regular expression: unterminated group',
      hint: 'write a backslash before a literal character: \\( \\[ \\. \\+',
    },
  ]);
});

test('limits in dollars and in tokens exclude each other, beside other mistakes (CFG-4)', () => {
  assert.is(
    mistakes(`schema_version: 1
project: [x]
limits:
  max_session_cost_usd: 4
  max_session_tokens: 5
  max_retries: two
  token_budget:
    worker_usd: 1
    worker_tokens: 100
    merger_usd: 0
    merger_tokens: 100
    planner_usd: 1
    planner_tokens: 0
`),
    lines(`
      .blueflame.yml has 4 mistakes.
      .blueflame.yml:2:1  project must be a map of keys, not a list
        project: [x]
        ^^^^^^^
      .blueflame.yml:5:23  limits.max_session_tokens excludes limits.max_session_cost_usd: a limit is in dollars or in tokens
          max_session_tokens: 5
                              ^
        hint: set one of them to 0
      .blueflame.yml:6:16  limits.max_retries must be a number, not text
          max_retries: two
                       ^^^
      .blueflame.yml:9:20  limits.token_budget.worker_tokens excludes limits.token_budget.worker_usd: a limit is in dollars or in tokens
            worker_tokens: 100
                           ^^^
        hint: set one of them to 0`),
  );
});

test('a limit in tokens alone puts the default in dollars out of force (CFG-4)', () => {
  const { limits } = parse('limits: {max_session_tokens: 9, token_budget: {worker_tokens: 7}}').config;
  assert.is(limits.max_session_cost_usd, 0);
  assert.is(limits.max_session_tokens, 9);
  assert.is(limits.token_budget.worker_usd, 0);
  assert.is(limits.token_budget.worker_tokens, 7);
  assert.is(limits.token_budget.merger_usd, 0.5);
});

test('the first design’s place of warn_threshold is read; the new one goes first', () => {
  assert.is(parse('limits: {token_budget: {warn_threshold: 0.4}}').config.limits.warn_threshold, 0.4);
  const both = parse('limits: {warn_threshold: 0.6, token_budget: {warn_threshold: 0.4}}');
  assert.is(both.config.limits.warn_threshold, 0.6);
  assert.equal(both.warnings, [
    '.blueflame.yml sets limits.warn_threshold, so limits.token_budget.warn_threshold has no effect',
  ]);
});

test('unknown keys: near ones, ones of another section, gone ones, ones like nothing', () => {
  assert.is(
    mistakes(`schema_version: 1
max_retries: 3
project: {repo: /x, tasks_file: t, zzzzzz: 1}
conccurrency: {}
constructor: {}
__proto__: {a: 1}
`),
    lines(`
      .blueflame.yml has 7 mistakes.
      .blueflame.yml:2:1  max_retries is not a known key
        max_retries: 3
        ^^^^^^^^^^^
        hint: did you mean limits.max_retries?
      .blueflame.yml:3:11  project.repo is not a known key
        project: {repo: /x, tasks_file: t, zzzzzz: 1}
                  ^^^^
        hint: remove it: git flame works in the repository it is started in
      .blueflame.yml:3:21  project.tasks_file is not a known key
        project: {repo: /x, tasks_file: t, zzzzzz: 1}
                            ^^^^^^^^^^
        hint: remove it: tasks are notes on refs/blueflame/tasks
      .blueflame.yml:3:36  project.zzzzzz is not a known key
        project: {repo: /x, tasks_file: t, zzzzzz: 1}
                                           ^^^^^^
        hint: known keys: name, base_branch, worktree_dir, setup, sparse, teardown, copy, link, landing, landing_branch, landing_style, landing_message
      .blueflame.yml:4:1  conccurrency is not a known key
        conccurrency: {}
        ^^^^^^^^^^^^
        hint: did you mean concurrency?
      .blueflame.yml:5:1  constructor is not a known key
        constructor: {}
        ^^^^^^^^^^^
        hint: known keys: schema_version, project, pull_requests, concurrency, limits, sandbox, planning, prompts, models, permissions, validation, superpowers, beads, memory, hooks, roles, queen, adapters, machines, trust, retention
      .blueflame.yml:6:1  __proto__ is not a known key
        __proto__: {a: 1}
        ^^^^^^^^^
        hint: known keys: schema_version, project, pull_requests, concurrency, limits, sandbox, planning, prompts, models, permissions, validation, superpowers, beads, memory, hooks, roles, queen, adapters, machines, trust, retention`),
  );
});

test('RND-2 who is heard on pull requests, and by which program they are opened', () => {
  assert.is(
    mistakes(`schema_version: 1
pull_requests: {forge: hub, comments_from: member, commenters: [lea, "a b", "x[bot]"], per: task}
`),
    lines(`
      .blueflame.yml has 4 mistakes.
      .blueflame.yml:2:24  pull_requests.forge must be one of gh, glab
        pull_requests: {forge: hub, comments_from: member, commenters: [lea, "a b", "x[bot]"], per: task}
                               ^^^
      .blueflame.yml:2:44  pull_requests.comments_from must be one of members, owners, listed
        pull_requests: {forge: hub, comments_from: member, commenters: [lea, "a b", "x[bot]"], per: task}
                                                   ^^^^^^
        hint: did you mean members?
      .blueflame.yml:2:70  pull_requests.commenters[1] is not the name of an account
        pull_requests: {forge: hub, comments_from: member, commenters: [lea, "a b", "x[bot]"], per: task}
                                                                             ^^^^^
      .blueflame.yml:2:93  pull_requests.per must be one of session, changeset
        pull_requests: {forge: hub, comments_from: member, commenters: [lea, "a b", "x[bot]"], per: task}
                                                                                                    ^^^^`),
  );
});

test('wrong types and choices say what belongs there', () => {
  assert.is(
    mistakes(`schema_version: 1
project: {name: 12, setup: npm ci, landing: bose}
concurrency: {adaptive: yes, planning: 2}
limits: {max_retries: "3", max_session_tokens: 1_000, warn_threshold: 2}
sandbox: {allow_network: true}
validation: {file_naming: {style: snake-case}}
models: {groups: {a: [1], Bad: x}}
roles: {worker: {adapter: exe}}
adapters: {cluade: {}}
superpowers: {skills: [{}, ]}
`),
    lines(`
      .blueflame.yml has 15 mistakes.
      .blueflame.yml:2:17  project.name must be text, not 12
        project: {name: 12, setup: npm ci, landing: bose}
                        ^^
        hint: write it in quotes: "12"
      .blueflame.yml:2:28  project.setup must be a list, not text
        project: {name: 12, setup: npm ci, landing: bose}
                                   ^^^^^^
        hint: write it as a list: ["npm ci"]
      .blueflame.yml:2:45  project.landing must be one of base, branch
        project: {name: 12, setup: npm ci, landing: bose}
                                                    ^^^^
        hint: did you mean base?
      .blueflame.yml:3:25  concurrency.adaptive must be true or false, not text
        concurrency: {adaptive: yes, planning: 2}
                                ^^^
        hint: write true
      .blueflame.yml:3:40  concurrency.planning must be 1
        concurrency: {adaptive: yes, planning: 2}
                                               ^
      .blueflame.yml:4:23  limits.max_retries must be a number, not text
        limits: {max_retries: "3", max_session_tokens: 1_000, warn_threshold: 2}
                              ^^^
        hint: write 3
      .blueflame.yml:4:48  limits.max_session_tokens must be a number, not text
        limits: {max_retries: "3", max_session_tokens: 1_000, warn_threshold: 2}
                                                       ^^^^^
        hint: write 1000
      .blueflame.yml:4:71  limits.warn_threshold must be at most 1
        limits: {max_retries: "3", max_session_tokens: 1_000, warn_threshold: 2}
                                                                              ^
        hint: from 0 to 1
      .blueflame.yml:5:26  sandbox.allow_network must be false: agents never have a network
        sandbox: {allow_network: true}
                                 ^^^^
      .blueflame.yml:6:35  validation.file_naming.style must be one of snake_case, kebab-case, camelCase, PascalCase
        validation: {file_naming: {style: snake-case}}
                                          ^^^^^^^^^^
        hint: did you mean snake_case?
      .blueflame.yml:7:19  models.groups.a must be a model or {worker: …, validator: …}, each a model or {adapter: …, model: …}
        models: {groups: {a: [1], Bad: x}}
                          ^
      .blueflame.yml:7:27  models.groups.Bad is not the name of a cohesion group, like login-form
        models: {groups: {a: [1], Bad: x}}
                                  ^^^
      .blueflame.yml:8:27  roles.worker.adapter must be one of claude, codex, opencode, gemini, kimi, copilot, exec
        roles: {worker: {adapter: exe}}
                                  ^^^
        hint: did you mean exec?
      .blueflame.yml:9:12  adapters.cluade is not an adapter
        adapters: {cluade: {}}
                   ^^^^^^
        hint: did you mean claude?
      .blueflame.yml:10:24  superpowers.skills[0] must be text, not a map of keys
        superpowers: {skills: [{}, ]}
                               ^^`),
  );
});

test('a list, a text or a number at the top', () => {
  for (const [text, what] of [
    ['- a\n', 'a list'],
    ['just text\n', 'text'],
    ['5\n', '5'],
  ]) {
    assert.match(mistakes(text ?? ''), `.blueflame.yml:1:1  the file must be a map of keys, not ${what}`);
  }
});

test('a key written twice is one mistake among the others', () => {
  assert.is(
    mistakes('schema_version: 1\nhooks:\n  post_plan: a\n  post_plan: b\n  post_plam: c\nhooks: {}\n'),
    lines(`
      .blueflame.yml has 3 mistakes.
      .blueflame.yml:4:3  post_plan is written twice
          post_plan: b
          ^^^^^^^^^
        hint: keep one of them
      .blueflame.yml:5:3  hooks.post_plam is not a known key
          post_plam: c
          ^^^^^^^^^
        hint: did you mean post_plan?
      .blueflame.yml:6:1  hooks is written twice
        hooks: {}
        ^^^^^
        hint: keep one of them`),
  );
});

test('keys written twice on one line', () => {
  assert.is(
    mistakes('hooks: {"post_plan": a, on_failure: b, on_failure: c, "post_plan": d}\n'),
    lines(`
      .blueflame.yml has 2 mistakes.
      .blueflame.yml:1:40  on_failure is written twice
        hooks: {"post_plan": a, on_failure: b, on_failure: c, "post_plan": d}
                                               ^^^^^^^^^^
        hint: keep one of them
      .blueflame.yml:1:55  post_plan is written twice
        hooks: {"post_plan": a, on_failure: b, on_failure: c, "post_plan": d}
                                                              ^^^^^^^^^^^
        hint: keep one of them`),
  );
});

test('endless nesting is refused', () => {
  for (const text of [
    '['.repeat(5_000),
    '{a: '.repeat(5_000),
    '- '.repeat(5_000),
    '? '.repeat(200),
    `a:\n- ${'['.repeat(101)}`,
  ]) {
    const error = errorOf(() => parseConfig(text, name));
    assert.is(error.message, '.blueflame.yml is nested too deeply to be read.');
    assert.is(error.code, 'file-too-deep');
  }
});

test('broken YAML is shown with the mistakes above it, and without guesses about what is below', () => {
  assert.is(
    mistakes('schema_version: 1\nproject: {nam: x}\nhooks: [1\nlimits: {maxx: 5}\n'),
    lines(`
      .blueflame.yml has 3 mistakes.
      .blueflame.yml:2:11  project.nam is not a known key
        project: {nam: x}
                  ^^^
        hint: did you mean name?
      .blueflame.yml:3:1  hooks must be a map of keys, not a list
        hooks: [1
        ^^^^^
      .blueflame.yml:4:1  the line is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]
        limits: {maxx: 5}
        ^`),
  );
});

test('a quote that is never closed is shown where the text ends', () => {
  assert.is(
    mistakes('schema_version: 1\nproject:\n  name: "x\n'),
    lines(`
      .blueflame.yml has a mistake.
      .blueflame.yml:3:10  the line is not valid YAML: missing closing "quote
          name: "x
                 ^`),
  );
});

test('tabs', () => {
  assert.is(
    mistakes('schema_version: 1\nproject:\n\tname: x\n'),
    [
      '.blueflame.yml has a mistake.',
      '.blueflame.yml:3:1  the line is indented with a tab',
      '   name: x',
      '  ^',
      '  hint: indent with spaces',
    ].join('\n'),
  );
  assert.is(
    mistakes('schema_version: 1\nproject: {\tname:\t5 }\n'),
    lines(`
      .blueflame.yml has a mistake.
      .blueflame.yml:2:18  project.name must be text, not 5
        project: { name: 5 }
                         ^
        hint: write it in quotes: "5"`),
  );
});

test('two documents, aliases that lead nowhere and aliases that explode', () => {
  assert.match(mistakes('project: {}\n---\nlimits: {}\n'), '.blueflame.yml:2:1  the line starts a second document');
  assert.is(
    mistakes('project: {name: *who}\nhooks: {timeout: 0s}\n'),
    lines(`
      .blueflame.yml has 2 mistakes.
      .blueflame.yml:1:17  *who names an anchor that is not defined above it
        project: {name: *who}
                        ^^^^
      .blueflame.yml:2:18  hooks.timeout must be longer than nothing
        hooks: {timeout: 0s}
                         ^^
        hint: write it like 90s, 5m, 1h30m or 30d`),
  );
  const levels = 'bcdefgh'.split('').map((key, index) => {
    const above = `*${'abcdefgh'[index]}`;
    return `${key}: &${key} [${Array(9).fill(above).join(',')}]`;
  });
  assert.is(
    mistakes(['a: &a [x]', ...levels].join('\n')),
    lines(`
      .blueflame.yml has a mistake.
      .blueflame.yml:2:8  the alias expands to more than can be read
        b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
               ^^
        hint: write the values out`),
  );
});

test('aliases that lead somewhere are followed, also by the place of a mistake', () => {
  const config = parse('permissions:\n  allowed_paths: &all [a/**]\n  blocked_paths: *all\n').config;
  assert.equal(config.permissions.blocked_paths, ['a/**']);
  assert.match(
    mistakes('validation:\n  file_naming: {enforce_for: &x [/a]}\n  require_tests: {test_patterns: *x}\n'),
    '.blueflame.yml:2:34  validation.require_tests.test_patterns[0] must be relative',
  );
  assert.match(mistakes('project: &x {name: *x}\n'), 'project.name must be text, not a map of keys');
});

test('Windows line ends, a byte order mark and letters of other scripts', () => {
  const text = '\ufeffproject:\r\n  name: 日本語\r\n  nam: "é" # ü\r\nmodels:\r\n  worker: ["日"]\r\n';
  assert.is(
    mistakes(text),
    lines(`
      .blueflame.yml has 2 mistakes.
      .blueflame.yml:3:3  project.nam is not a known key
          nam: "é" # ü
          ^^^
        hint: did you mean name?
      .blueflame.yml:5:3  models.worker must be text, not a list
          worker: ["日"]
          ^^^^^^`),
  );
  assert.is(
    mistakes('project: {name: 日本語, landing: é}\n'),
    lines(`
      .blueflame.yml has a mistake.
      .blueflame.yml:1:31  project.landing must be one of base, branch
        project: {name: 日本語, landing: é}
                                         ^`),
  );
});

test('what a terminal would act on is not printed', () => {
  const text = mistakes('project: {name: "a\u202eb", "x\u001b[31m": "\u200b"}\n');
  assert.not(/[\u0000-\u0009\u000b-\u001f\u200b\u202e]/.test(text));
  assert.match(text, 'project.name contains control or invisible characters');
  assert.match(text, 'project.x␛[31m is not a known key');
});

test('a long line is cut around the mistake', () => {
  const text = mistakes(`project: {name: x, setup: ["${'y'.repeat(300)}"], nam: x, copy: ["${'z'.repeat(300)}"]}\n`);
  const [, , source = '', underline = ''] = text.split('\n');
  assert.ok(source.length <= 104, String(source.length));
  assert.ok(source.startsWith('  …') && source.endsWith('…'));
  assert.is(source.slice(underline.indexOf('^'), underline.lastIndexOf('^') + 1), 'nam');
});

test('a huge file: at most fifty mistakes are shown, an endless one is not read', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `x${index}: 1`).join('\n');
  const text = mistakes(many);
  assert.match(text, '.blueflame.yml has 5000 mistakes.');
  assert.is(text.match(/is not a known key/g)?.length, 50);
  assert.ok(text.endsWith('… and 4950 more'));
  const error = errorOf(() => parseConfig('#'.repeat(1_000_001), name));
  assert.is(error.code, 'file-too-big');
  assert.is(error.message, '.blueflame.yml is longer than 1,000,000 characters.');
});

test('durations become milliseconds', () => {
  const { limits, hooks, retention } = parse(
    'limits: {agent_timeout: 1h30m, heartbeat_interval: 20}\nhooks: {timeout: 500ms}\nretention: {logs: 90d}',
  ).config;
  assert.equal(
    [limits.agent_timeout, limits.heartbeat_interval, hooks.timeout, retention.logs],
    [5_400_000, 20_000, 500, 90 * 86_400_000],
  );
  for (const bad of ['5 m', '5x', '-5s', '""', '"5"', '.inf', '-3', '[1]', 'true', '1m-', '1e30']) {
    assert.match(mistakes(`limits: {agent_timeout: ${bad}}`), 'limits.agent_timeout is not a duration', bad);
  }
  assert.match(mistakes('limits: {agent_timeout: 0}'), 'limits.agent_timeout must be longer than nothing');
  // A timer of Node that is longer fires at once.
  assert.match(mistakes('limits: {agent_timeout: 25d}'), 'limits.agent_timeout must be at most 24d');
});

test('names that would do harm are refused', () => {
  for (const branch of ['-x', 'a..b', 'a b', 'a.lock', '/a', 'a/', 'x@{1}', '@', 'a~1']) {
    assert.match(
      mistakes(`project: {base_branch: "${branch}"}`),
      'project.base_branch is not the name of a branch',
      branch,
    );
  }
  assert.is(parse('project: {base_branch: feature/x.1}').config.project.base_branch, 'feature/x.1');
  for (const folder of ['.', './', '.git', '.git/x', '/', './.git']) {
    assert.match(
      mistakes(`project: {worktree_dir: "${folder}"}`),
      "project.worktree_dir must not be the repository itself or git's own folder",
      folder,
    );
  }
});

test('equal values have equal digests, whatever their text', () => {
  const a = parse('project: {name: x, landing: branch}\nlimits: {agent_timeout: 5m}\n');
  const b = parse('# other\nlimits:\n  agent_timeout: 300s\nproject:\n  landing: branch\n  name: "x"\n');
  const c = parse('project: {name: y, landing: branch}');
  assert.match(a.digest, /^[0-9a-f]{12}$/);
  assert.is(a.digest, b.digest);
  assert.is.not(a.digest, c.digest);
});

test('ADP-1 a model of another CLI is refused where it is named, one that is nobody’s passes', () => {
  for (const [text, problem] of [
    [
      'roles: {worker: {adapter: codex}}\nmodels: {worker: claude-opus-4-5}',
      'models.worker names "claude-opus-4-5", a model of claude, and the worker runs with codex',
    ],
    [
      'models: {planner: gpt-5.5}',
      'models.planner names "gpt-5.5", a model of codex, and the planner runs with claude',
    ],
    ['models: {default: kimi-k3}', 'models.default names "kimi-k3", a model of kimi'],
    [
      'roles: {default: {adapter: gemini}}\nmodels: {groups: {docs: sonnet}}',
      'models.groups.docs names "sonnet", a model of claude',
    ],
    [
      'models: {groups: {docs: {validator: {adapter: kimi, model: gpt-5}}}}',
      'models.groups.docs.validator names "gpt-5", a model of codex, and the validator runs with kimi',
    ],
    [
      'roles: {worker: {adapter: opencode}}\nmodels: {worker: gpt-5.5}',
      'such as anthropic/claude-opus-4-5 or openai/gpt-5.5',
    ],
    ['roles: {default: {adapter: opencode}}', 'roles.default.adapter names no model'],
  ] as const)
    assert.match(mistakes(`schema_version: 1\n${text}\n`), problem);
  for (const text of [
    'roles: {worker: {adapter: codex}}\nmodels: {worker: my-own-model}',
    'roles: {default: {adapter: opencode}}\nmodels: {default: openai/gpt-5.5}',
    'roles: {worker: {adapter: exec}}\nmodels: {worker: opus}',
    // A service of the person's own has it.
    'models: {worker: kimi-k3, prices: {kimi-k3: {input: 1, output: 2}}}',
  ])
    parse(text);
});

test.run();
