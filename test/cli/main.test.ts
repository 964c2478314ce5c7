import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../lib/cli/main.ts';
import { reportError } from '../../lib/cli/report-error.ts';
import { type ErrorKind, FlameError } from '../../lib/domain/flame-error.ts';
import { makeFakeIo } from '../support/fake-io.ts';

test('git flame alone prints every command', async () => {
  const fake = makeFakeIo();
  assert.is(await main([], fake.io), 0);
  assert.match(fake.stdout(), /^git flame leads coding agents from inside git\.\n/);
  for (const name of ['init', 'plan', 'work', 'validate', 'merge', 'review', 'run', 'status', 'show', 'log']) {
    assert.match(fake.stdout(), new RegExp(`^  ${name} +\\S`, 'm'));
  }
  assert.is(fake.stderr(), '');
});

test('help of a command, asked for in three ways', async () => {
  const texts = [];
  for (const argv of [
    ['help', 'config'],
    ['config', '-h'],
    ['--help', 'config'],
  ]) {
    const fake = makeFakeIo();
    assert.is(await main(argv, fake.io), 0);
    texts.push(fake.stdout());
  }
  assert.equal(new Set(texts).size, 1);
  assert.is(
    texts[0],
    [
      'Show, migrate or describe the configuration.',
      '',
      'usage: git flame config [show|migrate|schema|example] [--write]',
      '',
      'Subcommands',
      '  show     print the effective values',
      '  migrate  convert an older file to the current version; comments stay',
      '  schema   print the JSON Schema of the file',
      '  example  print a file with every key, its default and its purpose',
      '',
      'Options',
      '  --write  migrate: rewrite the file instead of printing it',
      '',
      'Examples',
      '  show the effective values:',
      '    git flame config',
      '  rewrite an older file:',
      '    git flame config migrate --write',
      '',
      "Options of every command: see 'git flame help'.",
      '',
    ].join('\n'),
  );
});

test('help at 40 columns is no wider, but for commands to copy', async () => {
  const fake = makeFakeIo({ isTTY: true, columns: 40 });
  assert.is(await main(['help', 'review'], fake.io), 0);
  const wide = fake
    .stdout()
    .split('\n')
    .filter((line) => line.length > 40 && !/git flame/.test(line));
  assert.equal(wide, []);
});

test('--version', async () => {
  const fake = makeFakeIo();
  assert.is(await main(['--version'], fake.io), 0);
  assert.match(fake.stdout(), /^git-flame \d+\.\d+\.\d+\n$/);
});

test('a wrong command line ends with 129, says so on stderr alone', async () => {
  const fake = makeFakeIo();
  assert.is(await main(['plan', '--form', 'x'], fake.io), 129);
  assert.is(fake.stdout(), '');
  assert.is(
    fake.stderr(),
    'error: git flame plan has no option --form; did you mean --from?\nnext: git flame help plan\n',
  );
});

test('-C into a folder that is not there ends with 128', async () => {
  const fake = makeFakeIo({ cwd: '/nonexistent' });
  assert.is(await main(['-C', 'sub', 'status'], fake.io), 128);
  assert.is(fake.stderr(), "error: There is no folder 'sub' to start in.\nnext: git flame help\n");
});

test('CLI-3: each kind of error has its exit code', async () => {
  const kinds: Readonly<Record<ErrorKind, number>> = {
    refused: 1,
    internal: 1,
    waiting: 2,
    environment: 128,
    usage: 129,
    interrupted: 130,
  };
  for (const [kind, exitCode] of Object.entries(kinds) as [ErrorKind, number][]) {
    const fake = makeFakeIo();
    const error = new FlameError({ kind, code: 'x', message: 'It stopped.', hints: ['git flame status'] });
    assert.is(await reportError(error, [], fake.io), exitCode);
    const label = kind === 'waiting' || kind === 'interrupted' ? '' : 'error: ';
    assert.is(fake.stderr(), `${label}It stopped.\nnext: git flame status\n`);
  }
});

test('an unexpected error is one sentence, its stack only with --debug', async () => {
  const fake = makeFakeIo();
  assert.is(await reportError(new TypeError('x is not a function\nmore'), [], fake.io), 1);
  assert.is(
    fake.stderr(),
    'error: Unexpected error: x is not a function\nnext: Run the same command again with --debug to see where.\n',
  );
  const debug = makeFakeIo();
  await reportError(new TypeError('x is not a function'), ['--debug'], debug.io);
  assert.match(debug.stderr(), /\nTypeError: x is not a function\n {4}at /);
});

test('whatever an abort turned into, it ends with 130', async () => {
  const fake = makeFakeIo();
  fake.interrupt(new FlameError({ kind: 'interrupted', code: 'interrupted', message: 'Interrupted.' }));
  assert.is(await reportError(new Error('The operation was aborted'), [], fake.io), 130);
  assert.is(fake.stderr(), 'Interrupted.\n');
});

test('an error that quotes hostile text cannot move the cursor', async () => {
  const fake = makeFakeIo();
  const error = new FlameError({
    kind: 'refused',
    code: 'x',
    message: 'Bad \u001b[2J name \u202e.',
    details: ['a\u0007b'],
  });
  await reportError(error, [], fake.io);
  assert.is(fake.stderr(), 'error: Bad ␛[2J name ⟦U+202E⟧.\n  a␇b\n');
});

test('CLI-3: with --json an error is one line of JSON on stderr, of a stable shape', async () => {
  const fake = makeFakeIo();
  const error = new FlameError({
    kind: 'waiting',
    code: 'waits-for-person',
    message: 'The plan\u202e waits.',
    details: ['a', 'b'],
    hints: ['git flame plan'],
    data: { gate: 'plan' },
  });
  assert.is(await reportError(error, ['plan', '--json'], fake.io), 2);
  assert.is(fake.stdout(), '');
  assert.is(
    fake.stderr(),
    '{"error":{"code":"waits-for-person","kind":"waiting","exit":2,"message":"The plan\\u202e waits.","details":["a","b"],"hints":["git flame plan"],"data":{"gate":"plan"}}}\n',
  );
  const debug = makeFakeIo();
  await reportError(new Error('broken'), ['--json', '--debug'], debug.io);
  assert.match(debug.stderr(), /"code":"unexpected".*"stack":\["Error: broken"/);
  const words = makeFakeIo();
  await reportError(error, ['run', '--', '--json'], words.io);
  assert.match(words.stderr(), /^The plan/);
});

test.run();
