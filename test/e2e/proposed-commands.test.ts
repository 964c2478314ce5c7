import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';

test('CLI-3: what is proposed can be typed, also in a folder whose name a shell would take apart', async () => {
  const repo = makeExecProject({ name: "it's $HOME `id` \\n", config: { limits: { max_retries: 0 } } });
  const type = (text: string, command: RegExp): void => {
    const found = command.exec(text)?.[1];
    assert.ok(found, text);
    execFileSync('sh', ['-c', found], { cwd: '/', env: repo.env, stdio: 'pipe' });
  };
  assert.is((await flame(repo, ['task', 'add', 'Mend', '--locks', 'a.txt'])).code, 0);
  type((await flame(repo, ['task', 'claim', 'task-001'])).stderr, /next: (cd .+)/);
  assert.is((await flame(repo, ['task', 'drop', 'task-001'])).code, 0);
  const plan = writePlan(repo, [{ id: 'one', script: 'echo x > other.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['run', 'Fails', '--new', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 1, run.stderr);
  type((await flame(repo, ['show', 'one'])).stdout, /next: (git -C .+)/);
});

test.run();
