import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArgv } from '../../../lib/cli/parse-argv.ts';
import { type CommandLine, readCommandLine } from '../../../lib/commands/context/command-line.ts';
import type { CommandArgs } from '../../../lib/domain/view-models/command.ts';

function wishesOf(...argv: readonly string[]): CommandLine {
  const invocation = parseArgv(argv);
  if (invocation.kind !== 'run') throw new Error(`${invocation.kind} instead of run`);
  return readCommandLine({ ...(invocation as CommandArgs), typed: argv }, { cwd: '/work' });
}

test('commands that look, plan or book only start nothing', () => {
  assert.ok(wishesOf('run', 'Do it').startsThings);
  assert.ok(wishesOf('task', 'claim').startsThings);
  assert.ok(wishesOf('task', 'submit').startsThings);
  assert.not(wishesOf('task', 'next').startsThings);
  assert.not(wishesOf('session', 'end', '--yes').startsThings);
  assert.not(wishesOf('run', 'Do it', '--dry-run').startsThings);
});

test('answers given beforehand are found from where the person stands', () => {
  assert.is(wishesOf('run', '--decisions-file', 'answers.yml').decisionsFile, '/work/answers.yml');
  assert.is(wishesOf('run').decisionsFile, null);
});

test('the live view is for a person who looks on', () => {
  assert.ok(wishesOf('run').wantsLive);
  for (const option of ['--json', '--plain', '--quiet', '--dry-run'])
    assert.not(wishesOf('run', option).wantsLive, option);
});

test('a command proposes itself again, without what it has begun', () => {
  const { hints } = wishesOf('run', 'Do it', '--config', 'other one.yml', '--session', 'ses-1');
  assert.equal(hints.trustFirst, [
    "git flame trust --config 'other one.yml'",
    "git flame trust --yes --config 'other one.yml'",
    "git flame run 'Do it' --config 'other one.yml' --session ses-1",
  ]);
  assert.is(wishesOf('review', 'api', '--try').hints.trustFirst.at(-1), 'git flame review api --try');
  assert.is(wishesOf('cleanup', '--yes').hints.trustFirst.at(-1), 'git flame cleanup --yes');
  assert.is(hints.trustAgain.at(-1), "git flame run --config 'other one.yml' --session ses-1");
  assert.is(hints.continueCommand, 'git flame run --session ses-1');
});

test('a page is wanted, and a pull request opened, where the command has the option and it is given', () => {
  const { page, wantsPullRequest } = wishesOf('run', '--web', '--no-open', '--pr');
  assert.equal(page, {
    isWanted: true,
    opensBrowser: false,
    board: { command: 'git flame run --web', port: null, address: null },
  });
  assert.ok(wantsPullRequest);
  assert.equal(wishesOf('work').page, { isWanted: false, opensBrowser: true, board: null });
  assert.not(wishesOf('work').wantsPullRequest);
});

test.run();
