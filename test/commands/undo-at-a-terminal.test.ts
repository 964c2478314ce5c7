import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasTmux, openTerminal } from '../support/terminal.ts';

async function landed(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  const run = await flame(repo, ['run', 'Count', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  return repo;
}

test('CLI-6 undo without a terminal names both decisions, and changes nothing', async () => {
  const repo = await landed();
  const tip = repo.git('rev-parse', 'main');
  const undo = await flame(repo, ['undo']);
  assert.is(undo.code, 129);
  assert.match(undo.stderr, /Choose what happens to one when 1-main is taken back\./);
  assert.match(
    undo.stderr,
    /next: git flame undo 1-main --requeue REASON\nnext: git flame undo 1-main --drop REASON\n/,
  );
  assert.is(repo.git('rev-parse', 'main'), tip);
});

testIf(
  test,
  hasTmux,
  'tmux is not installed',
)('CLI-6 undo at a terminal asks what becomes of the tasks; nothing is an answer, too', async () => {
  const repo = await landed();
  const tip = repo.git('rev-parse', 'main');
  const terminal = openTerminal(repo, { columns: 100, rows: 30 });
  try {
    terminal.type('git flame undo', 'Enter');
    await terminal.until(/1-main is taken back\. What becomes of one\?[\s\S]*\(n\)othing: it stays landed\?/);
    terminal.type('n', 'Enter');
    await terminal.until(/Nothing was changed\./);
    assert.is(repo.git('rev-parse', 'main'), tip);
    terminal.type('clear; git flame undo', 'Enter');
    await terminal.until(/stays landed\?/);
    terminal.type('s', 'Enter');
    await terminal.until(/What must be different\?/);
    terminal.type('Count from zero.', 'Enter');
    await terminal.until(/eep this work\?/);
    terminal.type('n', 'Enter');
    await terminal.until(/its tasks are sent back\.\nnext: git flame run/);
  } finally {
    terminal.close();
  }
  assert.is(repo.git('rev-parse', 'main'), repo.git('rev-parse', `${tip}^`));
  const { lines } = await flameJson(repo, ['show', 'one']);
  const { task } = lines[0] as { readonly task: { status: string; history: readonly { notes: string }[] } };
  assert.is(task.status, 'requeued');
  assert.is(task.history.at(-1)?.notes, 'Count from zero.');
});

test.run();
