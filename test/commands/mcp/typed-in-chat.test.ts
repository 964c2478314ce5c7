import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cloneStateDir } from '../../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { closeChats, openChat } from '../../support/mcp-client.ts';
import { programFolder, runProgram } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';

// A chat's model has the person's shell: what it types there is not their word.

test.after(closeChats);

/** What a chat's model types, by the exit code and what it is told. */
function inChat(
  repo: TestRepo,
  ...commands: readonly (readonly string[])[]
): readonly { readonly code: number; readonly stderr: string }[] {
  const script = join(programFolder, '../build/test/commands/mcp/chat-shell.js');
  const program = join(programFolder, 'git-flame');
  const run = spawnSync(process.execPath, [script, program, ...commands.map((words) => JSON.stringify(words))], {
    cwd: repo.path,
    env: { ...repo.env },
    encoding: 'utf8',
  });
  assert.is(run.status, 0, run.stderr);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('QUE-1 in the shell of a chat nothing is approved, raised or asked; the person and their scripts may', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo x > src/one.txt', locks: ['src/one.txt'] }]);
  const approve = writeDecisions(repo, { plan: ['approve'] });
  const started = await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', approve]);
  assert.is(started.code, 2, started.stderr);
  const main = repo.git('rev-parse', 'main');
  const { session } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  const here = ['--session', String(session.id)];
  const all = writeDecisions(repo, { changesets: ['approve'] }, 'all.yml');

  const typed = inChat(
    repo,
    ['status'],
    ['review', '--changeset', 'main', '--approve'],
    ['run', '--decisions-file', all],
    ['task', 'add', 'More', '--locks', 'src/more.txt', '--description', 'true'],
    ['trust', '--yes'],
    ['undo', '--drop', 'Not wanted'],
    ['undo', '--requeue', 'Once more'],
    ['note', 'accept', 'abc1234'],
    ['run', 'Another', '--new', '--from', plan, '--decisions-file', approve],
  );
  assert.equal(
    typed.map(({ code }) => code),
    [0, 2, 2, 2, 2, 2, 2, 2, 2],
    JSON.stringify(typed, null, 1),
  );
  for (const { stderr } of typed.slice(1))
    assert.match(stderr, / needs a person's decision, but this command was started by process \d+ \(node\)/);
  assert.is(repo.git('rev-parse', 'main'), main);
  const waits = JSON.parse((await flame(repo, ['status', '--json', ...here])).stdout).changesets;
  assert.equal(
    waits.map(({ state }: Record<string, unknown>) => state),
    ['waiting'],
  );

  // A chat of another process is connected: what the person's own processes do is theirs.
  const chat = await openChat(repo);
  // The newest revision has no greeting: it is connected once it has answered anything.
  await chat.call('get_status');
  const marked = await flame(repo, ['review', '--changeset', 'main', '--approve', ...here], {
    env: { CLAUDECODE: '1' },
  });
  assert.is(marked.code, 2, marked.stderr);
  assert.match(marked.stderr, /started by an agent's shell \(CLAUDECODE is set\)/);
  const review = await flame(repo, ['review', '--decisions-file', all, ...here]);
  assert.is(review.code, 0, review.stderr);
  assert.is.not(repo.git('rev-parse', 'main'), main);
  await chat.close();
});

test('QUE-1 a chat decides nothing with its note removed, nor with its server killed', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo x > src/one.txt', locks: ['src/one.txt'] }]);
  const approve = writeDecisions(repo, { plan: ['approve'] });
  await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', approve]);
  const main = repo.git('rev-parse', 'main');
  const review = ['review', '--changeset', 'main', '--approve'];
  const notes = join(cloneStateDir(repo.env, join(repo.path, '.git')), 'chats');
  const typed = [
    ...inChat(repo, ['remove', notes], review),
    ...inChat(repo, ['kill the server'], review),
    ...inChat(repo, review),
  ];
  for (const { code, stderr } of typed) {
    assert.is(code, 2, stderr);
    assert.match(
      stderr,
      /What happens to a changeset needs a person's decision, but this command was started by process \d+ \(/,
    );
  }
  assert.is(typed.length, 3);
  assert.is(repo.git('rev-parse', 'main'), main);
  // The person's own shell knows of no chat.
  assert.is((await runProgram(repo, review)).code, 0);
  assert.is.not(repo.git('rev-parse', 'main'), main);
});

test.run();
