import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type PathFacts, renderDecisionForAgent, type ToolCall } from '../../lib/domain/agent-policy.ts';
import { decideToolCall } from '../../lib/policy/decide-tool-call.ts';
import { rules } from '../../lib/policy/policy-rules.ts';
import { decideBash, makePolicy, memoryFacts } from './fixtures.ts';

const facts = memoryFacts('/wt', [
  '.git',
  'src/a.ts',
  'src/b.ts',
  'src/link.ts -> b.ts',
  'src/out -> /etc',
  'src/up -> ..',
  'infra/main.tf',
  'caf\u00e9/x.ts',
]);
const tools = ['Read', 'Write', 'Edit', 'MultiEdit', 'Glob', 'Grep', 'Bash', 'mcp__files__put'];
const config = {
  permissions: {
    allowed_paths: ['src/**', 'caf\u00e9/**', '.gitattributes'],
    hidden_paths: ['infra/**', '**/*.key', 'Caf\u00c9/secret/**'],
    allowed_tools: tools,
  },
};
const policy = makePolicy({ config, locks: ['src/a.ts', 'src/link.ts', 'src/new/', 'caf\u00e9/'] });

function ruleOf(tool: string, input: Record<string, unknown>, cwd = '/wt', from = policy): string {
  return decideToolCall(from, { tool_name: tool, tool_input: input, cwd }, facts).rule;
}

const cases: readonly (readonly [rule: string, tool: string, input: Record<string, unknown>, cwd?: string])[] = [
  ['allowed', 'Write', { file_path: 'src/a.ts', content: '../../etc' }],
  ['allowed', 'Write', { file_path: 'a.ts' }, '/wt/src'],
  ['allowed', 'Write', { file_path: '/wt/src/new/deep/x.ts' }],
  ['path-out-of-scope', 'Write', { file_path: '/wt/src/b.ts' }],
  ['path-out-of-scope', 'Write', { file_path: '/wt/src/link.ts' }],
  ['path-out-of-scope', 'Write', { file_path: '/wt/src/A.ts' }],
  ['path-not-allowed', 'Write', { file_path: '/wt/package.json' }],
  ['path-hidden', 'Write', { file_path: '/wt/INFRA/x.tf' }],
  ['path-hidden', 'Write', { file_path: '/wt/cafe\u0301/Secret/x' }],
  ['allowed', 'Write', { file_path: '/wt/cafe\u0301/y.ts' }],
  ['path-hidden', 'Read', { file_path: '/wt/src/up/infra/main.tf' }],
  ['path-outside', 'Read', { file_path: '/wt/src/up/../x' }],
  ['path-outside', 'Read', { file_path: '/wt/src/out/passwd' }],
  ['path-outside', 'Read', { file_path: '/wt2/x' }],
  ['path-outside', 'Read', { file_path: 'x' }, '/elsewhere'],
  ['path-protected', 'Read', { file_path: '/wt/.git' }],
  ['path-protected', 'Write', { file_path: '/wt/src/.git./config' }],
  ['path-protected', 'Write', { file_path: '/wt/src/git~1/config' }],
  ['path-protected', 'Write', { file_path: '/wt/.blueflame.yml' }],
  ['path-attributes', 'Write', { file_path: '/wt/src/new/.gitattributes' }],
  ['path-malformed', 'Write', { file_path: 'src\\a.ts' }],
  ['path-malformed', 'Write', { file_path: 'src/\u202ea.ts' }],
  ['path-malformed', 'Write', { file_path: 'src /a.ts' }],
  ['path-malformed', 'Read', { file_path: 'src/a.ts\u0000' }],
  ['call-malformed', 'Write', {}],
  ['call-malformed', 'Write', { file_path: ['src/a.ts'] }],
  ['call-malformed', 'Write', { file_path: 'src/a.ts', path: 7 }],
  ['path-out-of-scope', 'MultiEdit', { file_path: 'src/a.ts', edits: [{ filePath: 'src/b.ts' }] }],
  ['path-out-of-scope', 'mcp__files__put', { target: { destination_path: 'src/b.ts' } }],
  ['allowed', 'mcp__files__put', { target: { destination_path: 'src/a.ts' } }],
  ['path-not-allowed', 'mcp__files__put', { paths: ['src/a.ts', 'README.md'] }],
  ['allowed', 'Read', { file_path: '/wt/README.md' }],
  ['allowed', 'Glob', { pattern: '**/*.ts' }],
  ['allowed', 'Glob', { pattern: '/wt/src/**/*.{ts,tsx}' }],
  ['allowed', 'Glob', { pattern: '*.ts', path: '/wt/src' }],
  ['path-outside', 'Glob', { pattern: '/etc/*' }],
  ['path-outside', 'Glob', { pattern: '{src,../x}/*' }],
  ['path-outside', 'Glob', { pattern: 'src/@(..)/x' }],
  ['path-outside', 'Glob', { pattern: '{/etc,src}/*' }],
  ['path-hidden', 'Glob', { pattern: 'infra/*.tf' }],
  ['path-outside', 'Glob', { pattern: '*', path: '/' }],
  ['allowed', 'Grep', { pattern: '../../etc', path: 'src', glob: '*.ts' }],
  ['path-hidden', 'Grep', { pattern: 'x', glob: 'inf*/**' }],
  ['path-outside', 'Grep', { pattern: 'x', path: '..' }],
  ['tool-blocked', 'WebFetch', { url: 'http://x' }],
  ['tool-blocked', 'Agent', {}],
  ['tool-blocked', 'Task', {}],
  ['tool-not-allowed', 'CronCreate', {}],
  ['tool-not-allowed', 'write', { file_path: 'src/a.ts' }],
  ['allowed', 'StructuredOutput', { path: '/etc/passwd' }],
  ['call-malformed', 'Bash', {}],
  ['tool-option', 'Bash', { command: 'ls', dangerouslyDisableSandbox: true }],
  ['bash-background', 'Bash', { command: 'ls', run_in_background: true }],
  ['path-outside', 'Bash', { command: 'ls' }, '/'],
];
for (const [rule, tool, input, cwd] of cases) {
  test(`${tool} ${JSON.stringify(input)}${cwd === undefined ? '' : ` in ${cwd}`}: ${rule}`, () => {
    assert.is(ruleOf(tool, input, cwd), rule);
  });
}

test('an agent tool is blocked under both of its names', () => {
  const one = makePolicy({
    config: { permissions: { allowed_tools: ['Agent', 'Task'], blocked_tools: ['Task'] } },
  });
  assert.is(ruleOf('Agent', {}, '/wt', one), 'tool-blocked');
  const none = makePolicy({ config: { permissions: { allowed_tools: ['Agent'], blocked_tools: [] } } });
  assert.is(ruleOf('Agent', { prompt: 'x' }, '/wt', none), 'allowed');
});

test('what cannot be judged is blocked', () => {
  const broken: PathFacts = {
    lstat() {
      throw new Error('EIO');
    },
    list: () => null,
    kindOf: () => null,
  };
  const call: ToolCall = { tool_name: 'Read', tool_input: { file_path: 'src/a.ts' }, cwd: '/wt' };
  assert.is(decideToolCall(policy, call, broken).rule, 'policy-error');
  const badCalls = [
    { ...call, cwd: 'wt' },
    { ...call, tool_input: 'x' },
    { ...call, tool_name: 7 },
  ] as unknown as ToolCall[];
  assert.equal(
    badCalls.map((one) => decideToolCall(policy, one, facts).rule),
    Array(3).fill('call-malformed'),
  );
  const badPattern = { ...policy, blocked_patterns: ['('] };
  const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: '/wt' };
  assert.is(decideToolCall(badPattern, bash, facts).decision, 'block');
});

test('a place outside is refused without a look at what lies there', () => {
  // As /proc is for whoever may not see what another user's process has open.
  const blind: PathFacts = {
    ...facts,
    lstat(path) {
      if (/^\/*proc\/1\/cwd/.test(path)) throw new Error(`EACCES: permission denied, readlink '${path}'`);
      return /^\/*(?:proc(?:\/1)?)?$/.test(path) ? { kind: 'directory', links: 1, target: '' } : facts.lstat(path);
    },
    list(path) {
      const below = { '/': ['proc', 'wt'], '/proc': ['1'], '/proc/1': ['cwd'] }[path.replace(/^\/+/, '/')];
      return below ?? facts.list(path);
    },
  };
  const commands = [
    'rm -rf /',
    'rm -rf ..',
    'rm -rf /proc',
    'rm -rf /proc/1/cwd',
    'chmod -R 777 /',
    'cp -r / src/new',
    'mv /proc src/new',
  ];
  const reading = [
    'cat /proc/1/cwd',
    'ls -R /',
    'grep -rn . /',
    'find / -name x',
    'diff -r / src',
    'tar cf src/new/x.tar /',
  ];
  for (const command of [...commands, ...reading])
    assert.is(decideBash(policy, command, { facts: blind }).rule, 'path-outside', command);
  const read = { tool_name: 'Read', tool_input: { file_path: '/proc/1/cwd/x' }, cwd: '/wt' };
  assert.is(decideToolCall(policy, read, blind).rule, 'path-outside');
});

test('a file with two names is not written, a device is not read', () => {
  const linked: PathFacts = {
    lstat: (path) => (path === '/wt/src/a.ts' ? { kind: 'file', links: 2, target: '' } : null),
    list: () => null,
    kindOf: () => null,
  };
  const write = { tool_name: 'Write', tool_input: { file_path: 'src/a.ts' }, cwd: '/wt' };
  assert.is(decideToolCall(policy, write, linked).rule, 'path-linked');
  assert.is(decideToolCall(policy, { ...write, tool_name: 'Read' }, linked).rule, 'allowed');
  const device: PathFacts = {
    lstat: () => ({ kind: 'other', links: 1, target: '' }),
    list: () => null,
    kindOf: () => null,
  };
  assert.is(decideToolCall(policy, { ...write, tool_name: 'Read' }, device).rule, 'path-special');
});

test('a chain of links longer than the kernel follows is refused', () => {
  const chain = memoryFacts(
    '/wt',
    Array.from({ length: 60 }, (_, at) => `src/l${at} -> l${at + 1}`),
  );
  const call = { tool_name: 'Read', tool_input: { file_path: 'src/l0' }, cwd: '/wt' };
  assert.is(decideToolCall(policy, call, chain).rule, 'path-outside');
});

test('new files follow the naming style, old ones may keep their names', () => {
  const named = makePolicy({
    config: {
      permissions: config.permissions,
      validation: { file_naming: { style: 'kebab-case', enforce_for: ['src/**'] } },
    },
  });
  const rule = (file_path: string): string => ruleOf('Write', { file_path }, '/wt', named);
  assert.is(rule('src/OrderList.ts'), 'file-name');
  assert.is(rule('src/order-list.test.ts'), 'allowed');
  assert.is(rule('src/.eslintrc'), 'allowed');
  assert.is(rule('src/a.ts'), 'allowed');
});

test('a shell and the file tools may use the temporary folders of the cell, searches stay in the worktree', () => {
  const extra = makePolicy({ config, locks: ['src/a.ts'], extra: ['/run/agent/tmp'] });
  const shell = (target: string): string => decideBash(extra, `echo x > ${target}`, { facts }).rule;
  assert.is(shell('/tmp/x'), 'allowed');
  assert.is(shell('/run/agent/tmp/x'), 'allowed');
  assert.is(shell('/run/agent/tmp2/x'), 'path-outside');
  assert.is(shell('/run/agent/tmp/../x'), 'path-outside');
  assert.is(shell('/tmp/.git/config'), 'path-outside');
  const rule = (tool_name: string, tool_input: Record<string, unknown>): string =>
    decideToolCall(extra, { tool_name, tool_input, cwd: '/wt' }, facts).rule;
  assert.is(rule('Write', { file_path: '/tmp/x', content: 'x' }), 'allowed');
  assert.is(rule('Read', { file_path: '/run/agent/tmp/x' }), 'allowed');
  assert.is(rule('Write', { file_path: '/tmp/.git/config', content: 'x' }), 'path-outside');
  assert.is(rule('Write', { file_path: '/var/tmp/x', content: 'x' }), 'path-outside');
  assert.is(rule('Grep', { pattern: 'x', path: '/tmp' }), 'path-outside');
});

test('what stands beside a worktree below /tmp is no temporary file', () => {
  const below = makePolicy({ worktree: '/tmp/repo/.trees/wt' });
  const shell = (target: string): string => decideBash(below, `echo x > ${target}`, { facts }).rule;
  assert.is(shell('/tmp/x'), 'allowed');
  assert.is(shell('/tmp/repo/x'), 'path-outside');
  assert.is(shell('../x'), 'path-outside');
  assert.is(shell('../../../x'), 'path-outside');
});

test('a validator has a shell where there are diagnostics to ask for', () => {
  const tools = (commands: readonly string[]): readonly string[] =>
    makePolicy({
      role: 'validator',
      config: { validation: { validator_diagnostics: { commands } } },
    }).allowed_tools;
  assert.ok(tools(['npm test']).includes('Bash'));
  assert.not(tools([]).includes('Bash'));
});

test('roles: planners and validators read, nobody else is limited to that', () => {
  const rule = (role: 'planner' | 'validator' | 'worker' | 'merger', tool: string): string =>
    ruleOf(tool, { file_path: 'src/a.ts' }, '/wt', makePolicy({ role }));
  assert.is(rule('planner', 'Read'), 'allowed');
  assert.is(rule('planner', 'Write'), 'tool-not-allowed');
  assert.is(rule('validator', 'Edit'), 'tool-not-allowed');
  assert.is(rule('worker', 'Edit'), 'allowed');
  assert.is(rule('merger', 'Write'), 'allowed');
});

test('every rule has a sentence of its own, and WAT-9: each refusal says more than the rule', () => {
  const sentences = Object.values(rules);
  assert.is(new Set(sentences).size, sentences.length);
  for (const [, tool, input, cwd] of cases.filter(([rule]) => rule !== 'allowed')) {
    const found = decideToolCall(policy, { tool_name: tool, tool_input: input, cwd: cwd ?? '/wt' }, facts);
    assert.ok(renderDecisionForAgent(found).length > 20, found.rule);
  }
});

test('WAT-9: what only an agent can do with a refusal is not in what people read of it', () => {
  const found = decideToolCall(
    policy,
    { tool_name: 'Read', tool_input: { file_path: '/wt/INFRA/x.tf' }, cwd: '/wt' },
    facts,
  );
  assert.match(found.details, /is hidden from agents \(permissions\.hidden_paths: .+\)\.$/);
  assert.match(renderDecisionForAgent(found), /Do the task without it: read .* use your own values in tests\.$/);
});

test('a compiled policy is plain data', () => {
  assert.equal(JSON.parse(JSON.stringify(policy)), policy);
});

test.run();
