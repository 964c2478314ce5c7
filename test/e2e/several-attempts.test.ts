import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

// Each attempt writes something else, all of the same size.
const script = 'mkdir -p src && od -An -N8 -tx1 /dev/urandom > src/one.txt';

function makeProject(): TestRepo {
  const repo = makeExecProject({ config: { concurrency: { development: 3 } } });
  writePlan(repo, [{ id: 'task-001', script, locks: ['src/one.txt'], attempts: 3 }]);
  return repo;
}

interface Told {
  readonly status: string;
  readonly commit: string;
  readonly tries: readonly { readonly work: { readonly commit: string }; readonly chosen?: boolean }[];
}

async function taskIn(repo: TestRepo): Promise<Told> {
  return JSON.parse((await flame(repo, ['status', '--json'])).stdout).tasks[0];
}

const run = ['run', 'One', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

test('RND-4 a decisions file chooses another attempt, whose changeset is built and decided again', async () => {
  const repo = makeProject();
  writeDecisions(repo, { plan: ['approve'], changesets: [{ choose: { 'task-001': 3 } }, 'approve'] });
  const done = await flame(repo, run);
  assert.is(done.code, 0, done.stderr);
  const task = await taskIn(repo);
  assert.is(task.status, 'merged');
  assert.is(task.commit, task.tries[2]?.work.commit);
});

test.run();
