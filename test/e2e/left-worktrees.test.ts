import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flameJson } from '../support/flame.ts';
import { start, startHere } from '../support/kill-rig.ts';
import type { TestRepo } from '../support/repo.ts';

// What a killed agent left is looked into with plain git.

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
