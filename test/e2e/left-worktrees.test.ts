import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { findDamage, start, startHere } from '../support/kill-rig.ts';
import type { TestRepo } from '../support/repo.ts';

// What a failed, stopped or killed agent left is looked into with plain git and with `git flame show --diff`.

const commitAndFail = [
  'echo committed > a.txt && git add a.txt && git commit -qm half',
  'echo open > b.txt && exit 3',
].join('\n');

function makeProject(script: string, locks: readonly string[] = ['a.txt', 'b.txt']): TestRepo {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  writePlan(repo, [{ id: 'one', script, locks }]);
  writeDecisions(repo, { plan: ['approve'] });
  return repo;
}

const argv = ['run', 'Go', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

async function worktreeOf(repo: TestRepo): Promise<string> {
  const { lines } = await flameJson(repo, ['show', 'one']);
  const [path] = (lines[0]?.worktrees ?? []) as readonly string[];
  return path ?? '';
}

function inThere(repo: TestRepo, cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: repo.env, encoding: 'utf8' }).trimEnd();
}

test('UNI-5 in the worktree of a failed task git status, log, diff and stash work; show --diff shows what it holds', async () => {
  const repo = makeProject(commitAndFail);
  const run = await flame(repo, argv);
  assert.is(run.code, 1, run.stderr);
  const there = await worktreeOf(repo);
  assert.is(inThere(repo, there, 'status', '--short'), '?? a.txt\n?? b.txt');
  assert.is(inThere(repo, there, 'log', '-1', '--format=%H'), repo.git('rev-parse', 'main'));
  inThere(repo, there, 'stash', '--include-untracked');
  inThere(repo, there, 'stash', 'pop');
  const { stdout } = await flame(repo, ['show', 'one', '--diff']);
  assert.match(
    stdout,
    /\nNot accepted, in \/\S+\ndiff --git a\/a\.txt [\s\S]*\n\+committed\n[\s\S]*\n\+open\n/,
  );
  assert.match(stdout, /\nnext: git flame show one --diff\nnext: git -C \/\S+ status\n/);
  assert.is(findDamage(repo), '');
  const commits = repo.git('log', '--all', '--format=%s');
  assert.is(/^half$/m.test(commits), false, 'what was not accepted is not in the repository');
});

test('UNI-5 what the person committed there is a rescue once the worktree goes, beside what the agent left', async () => {
  const repo = makeProject(commitAndFail);
  await flame(repo, argv);
  const there = await worktreeOf(repo);
  inThere(repo, there, 'add', 'a.txt');
  inThere(repo, there, 'commit', '-qm', 'by hand');
  const own = inThere(repo, there, 'rev-parse', 'HEAD');
  const cleaned = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.is(cleaned.code, 0, cleaned.stderr);
  const kept = repo.git('for-each-ref', '--format=%(objectname) %(subject)', 'refs/blueflame/rescue/');
  assert.match(kept, new RegExp(`${own} by hand`));
  assert.match(kept, /rescue: one by worker-/);
  const { stdout } = await flame(repo, ['show', 'one', '--diff']);
  assert.match(stdout, /\nNot accepted, kept as rescue ses-\S+\/one\/\d+\ndiff --git /);
});

test('LIF-4 after a kill in mid-work the next start leaves a worktree that git works in', async () => {
  const repo = makeProject('echo half > a.txt && git add a.txt && git commit -nqm half', ['b.txt']);
  const killed = start(repo, argv, { FLAME_TEST_KILL_AT: 'end of the agent noted' });
  assert.is(killed.signal, 'SIGKILL', killed.stderr);
  const again = await startHere(repo, ['resume', '--decisions-file', '.git/decisions.yml']);
  assert.is(again.code, 1, again.stderr);
  const there = await worktreeOf(repo);
  assert.is(inThere(repo, there, 'status', '--short'), '?? a.txt');
});

test.run();
