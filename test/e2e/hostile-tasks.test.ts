import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findDamage } from '../git/cell-fixture.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

// What one agent does to its own worktree is its own failure: the others' work goes on.
const hostile = [
  { id: 'head-nowhere', script: 'git symbolic-ref HEAD refs/heads/nowhere; echo x > a.txt' },
  { id: 'head-garbage', script: 'echo garbage > "$(git rev-parse --git-dir)/HEAD"; echo x > b.txt' },
  {
    id: 'pipe-as-ignore',
    script: 'mkfifo .gitignore .gitattributes; rm README.md; mkfifo README.md',
  },
  { id: 'link-as-folder', script: 'rm -r src; ln -s /etc src' },
  {
    id: 'too-deep',
    script: 'd=dddddddddddddddddddd; for i in $(seq 300); do mkdir $d; cd $d; done; echo x > x',
  },
  { id: 'too-many', script: 'for i in $(seq 500); do sleep 20 & done; wait' },
  { id: 'too-large', script: 'exec head -c 9000000 /dev/zero > c.txt' },
];

inCell('UNI-5 agents that break their own worktree fail alone; honest work beside them lands', async () => {
  const repo = makeExecProject({
    config: {
      limits: { max_retries: 0 },
      sandbox: { max_processes: 64, max_file_size_mb: 1 },
    },
  });
  const tasks = hostile.map(({ id, script }, at) => ({ id, script, locks: [`locked-${at}.txt`], group: id }));
  const honest = { id: 'honest', script: 'echo honest > honest.txt', locks: ['honest.txt'], group: 'honest' };
  const plan = writePlan(repo, [...tasks, honest]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  const before = repo.git('rev-parse', 'main');
  const run = await flame(repo, ['run', 'Try it', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 1, run.stderr);
  const [status] = (await flameJson(repo, ['status'])).lines;
  const found = ((status?.tasks ?? []) as { id: string; status: string; reason: string | null }[]).map((task) => [
    task.id,
    task.status,
  ]);
  assert.equal(found, [...hostile.map(({ id }) => [id, 'failed']), ['honest', 'merged']].sort());
  assert.match(run.stderr, /too-many failed.*too many processes/);
  assert.match(run.stderr, /too-large failed.*limit of 1 MB/);
  assert.is(repo.git('show', 'main:honest.txt'), 'honest');
  assert.is(repo.git('diff', '--name-only', before, 'main'), 'honest.txt');
  assert.ok(existsSync(join(repo.path, 'honest.txt')));
  assert.is(findDamage(repo), '');
});

test.run();
