import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../lib/cli/main.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

const tasks = [
  { id: 'task-003', script: 'echo three > price.js', locks: ['price.js'] },
  {
    id: 'task-007',
    script:
      'echo seven > price.js; git commit -qam "chore: seven" || exit 1; until [ -e go ]; do sleep 0.05; done; rm go',
    locks: ['price.js'],
    priority: 2,
  },
];

/** Runs `git flame work`; resolves to its exit code. Calls back for each event it prints. */
async function work(repo: TestRepo, onEvent: (event: Readonly<Record<string, unknown>>) => void): Promise<number> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end('');
  stderr.resume();
  let rest = '';
  stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(JSON.parse(line));
  });
  return main(['work', '--json'], { cwd: repo.path, env: repo.env, stdin, stdout, stderr });
}

test('an agent commits what conflicts with accepted work: it is seen while the agent still works', async () => {
  const repo = makeExecProject({ config: { concurrency: { overlap: 'separate' } } });
  repo.write('price.js', 'one\n');
  repo.commit('price');
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const argv = ['plan', 'Prices', '--from', writePlan(repo, tasks), '--decisions-file', decisions];
  assert.is((await flame(repo, argv)).code, 0);
  let seen: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    const claimed = repo.git('worktree', 'list', '--porcelain').match(/^worktree (.*worker-.*)$/m)?.[1];
    try {
      const { stdout } = await flame(repo, ['status']);
      assert.match(stdout, 'task-003 and task-007 conflict in price.js (task-007 is still working)');
    } finally {
      writeFileSync(join(`${claimed}`, 'go'), '');
    }
  };
  const code = await work(repo, (event) => {
    if (event.event === 'conflicts-ahead') seen ??= look();
  });
  assert.is(code, 0);
  assert.ok(seen !== null);
  await seen;
  const after = await flame(repo, ['status']);
  assert.match(after.stdout, 'task-003 and task-007 conflict in price.js\n');
});

test.run();
