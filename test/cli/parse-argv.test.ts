import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ParsedCommandLine, parseArgv } from '../../lib/cli/parse-argv.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';

function parseRun(...argv: string[]): Extract<ParsedCommandLine, { kind: 'run' }> {
  const invocation = parseArgv(argv);
  if (invocation.kind !== 'run') throw new Error(`${invocation.kind} instead of run`);
  return invocation;
}

function refusal(...argv: string[]): FlameError {
  try {
    parseArgv(argv);
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
  throw new Error(`${argv.join(' ')} was accepted`);
}

test('an option that takes several keeps each as it was typed', () => {
  const several = parseRun('answer', 'g', '--comment', 'a:1 One, two.', '--comment=-b:2 Three.');
  assert.equal(several.options.comment, ['a:1 One, two.', '-b:2 Three.']);
  assert.is(parseRun('answer', 'g').options.comment, null);
  assert.is(refusal('answer', '--comment').code, 'missing-value');
});

test('CLI-2: options stand before or after the command', () => {
  const before = parseRun('--json', '-C', 'sub', '--session', 'ses-1', '--from', 'plan.yml', 'plan');
  const after = parseRun('plan', '--from', 'plan.yml', '--session=ses-1', '-C', 'sub', '--json');
  assert.equal(before, after);
  assert.is(before.command, 'plan');
  assert.is(before.directory, 'sub');
  assert.equal(before.options, { from: 'plan.yml', new: false, interactive: null });
  assert.equal(before.globals, {
    config: null,
    session: 'ses-1',
    decisionsFile: null,
    dryRun: false,
    json: true,
    plain: false,
    quiet: false,
    color: null,
    debug: false,
  });
});

test('a list is parted at commas outside braces', () => {
  const { options } = parseRun('policy', 'check', '--locks', 'src/a,assets/*.{png,svg},docs/');
  assert.equal(options.locks, ['src/a', 'assets/*.{png,svg}', 'docs/']);
});

test('a value is never taken for the command', () => {
  assert.is(parseRun('--config', 'status', 'log').command, 'log');
  assert.is(parseRun('-C', 'plan', 'status').directory, 'plan');
});

test('an objective of many words is one, whatever stands around it', () => {
  assert.equal(parseRun('plan', 'Add', 'login', '--json', 'with a', 'password').positionals, [
    'Add login with a password',
  ]);
  assert.equal(parseRun('run', '--', 'Add', '--fast').positionals, ['Add --fast']);
  assert.equal(parseRun('run', ' ').positionals, []);
});

test('options with two spellings: the last one counts', () => {
  assert.is(parseRun('plan', '--interactive').options.interactive, true);
  assert.is(parseRun('plan', '--interactive', '--no-interactive').options.interactive, false);
  assert.is(parseRun('init').options.hooks, true);
  assert.is(parseRun('init', '--no-hooks').options.hooks, false);
  assert.is(parseRun('status', '--color').globals.color, true);
  assert.is(parseRun('--no-color', 'status').globals.color, false);
});

test('numbers, lists and subcommands', () => {
  assert.is(parseRun('log', '-n', '20').options.maxCount, 20);
  assert.is(parseRun('log', '-n20', 'task-001').options.maxCount, 20);
  assert.is(parseRun('log', '--max-count=3').options.maxCount, 3);
  const policy = parseRun('policy', 'check', '--locks', 'src/,test/,', '--role', 'worker');
  assert.is(policy.subcommand, 'check');
  assert.equal(policy.options, { role: 'worker', locks: ['src/', 'test/'], worktree: null });
  assert.is(parseRun('config').subcommand, 'show');
  assert.is(parseRun('config', 'migrate', '--write').options.write, true);
});

test('a reason may start with a hyphen when it is tied to its option', () => {
  assert.is(parseRun('review', '--changeset', 'api', '--reject=-1 is wrong').options.reject, '-1 is wrong');
});

test('help and version', () => {
  assert.is(parseArgv([]).kind, 'none');
  assert.is(parseArgv(['-C', 'x']).kind, 'none');
  assert.equal(parseArgv(['-h']), { kind: 'help', command: null });
  assert.equal(parseArgv(['help']), { kind: 'help', command: null });
  assert.equal(parseArgv(['help', 'plan']), { kind: 'help', command: 'plan' });
  assert.equal(parseArgv(['plan', '-h']), { kind: 'help', command: 'plan' });
  assert.equal(parseArgv(['--help', 'review']), { kind: 'help', command: 'review' });
  assert.equal(parseArgv(['--json', '--version']), { kind: 'version' });
});

test('CLI-3: each refusal says what is wrong and what is near', () => {
  const cases: readonly (readonly [readonly string[], string, string])[] = [
    [['reveiw'], 'unknown-command', "git flame has no command 'reveiw'."],
    [['help', 'plam'], 'unknown-command', "git flame has no command 'plam'."],
    [['plan', '--form', 'x'], 'unknown-option', 'git flame plan has no option --form; did you mean --from?'],
    [['status', '--from', 'x'], 'unknown-option', 'git flame status has no option --from.'],
    [['--jsno'], 'unknown-option', 'git flame has no option --jsno; did you mean --json?'],
    [['plan', '-x'], 'unknown-option', 'git flame plan has no option -x.'],
    [['plan', '--from'], 'missing-value', 'Option --from needs a value (FILE).'],
    [['plan', '--from', '--json'], 'missing-value', 'Option --from needs a value (FILE).'],
    [['status', '--json=yes'], 'unexpected-value', 'Option --json takes no value.'],
    [['log', '-n', 'many'], 'bad-value', "Option -n needs a number from 1, not 'many'."],
    [['log', '-n', '0'], 'bad-value', "Option -n needs a number from 1, not '0'."],
    [['log', 'task-001', 'task-002'], 'too-many-operands', "git flame log does not take 'task-002'."],
    [['work', 'task-001'], 'too-many-operands', "git flame work does not take 'task-001'."],
    [['policy'], 'missing-subcommand', 'git flame policy needs one of: check.'],
    [
      ['config', 'migrat'],
      'unknown-subcommand',
      "git flame config has no 'migrat'; it has: show, migrate, schema, example.",
    ],
  ];
  for (const [argv, code, message] of cases) {
    const error = refusal(...argv);
    assert.equal([error.kind, error.code, error.message], ['usage', code, message]);
  }
  assert.equal(refusal('reveiw').hints, ['git flame review', 'git flame help']);
  assert.equal(refusal('config', 'migrat').hints, ['git flame config migrate', 'git flame help config']);
  assert.equal(refusal('plan', '--verbose').hints, ["git flame plan -- '--verbose ...'", 'git flame help plan']);
});

test.run();
