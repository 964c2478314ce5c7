import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

// What becomes of what an agent leaves: each way has an end that is named.

const argv = ['run', 'Go', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

/** A run of these tasks, each approved and landed by itself. */
async function runTasks(repo: TestRepo, tasks: readonly ScriptTask[]): Promise<FlameRun> {
  writePlan(
    repo,
    tasks.map((task) => ({ group: task.id, ...task })),
  );
  writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ all: 'approve' }],
    validation: ['drop'],
    session: ['stop'],
  });
  return flame(repo, argv);
}

function makeProject(config: Readonly<Record<string, unknown>> = {}): TestRepo {
  return makeExecProject({ config: { limits: { max_retries: 0 }, ...config } });
}

function failureOf({ stderr }: FlameRun, task: string): string {
  return new RegExp(`^.*${task} failed: .*$`, 'm').exec(stderr)?.[0] ?? stderr;
}

function landed(repo: TestRepo): readonly string[] {
  return repo.git('ls-tree', '-r', '--name-only', 'main').split('\n');
}

test('WRK-5 commits that are empty are no work', async () => {
  const repo = makeProject();
  const before = repo.git('rev-parse', 'main');
  const run = await runTasks(repo, [
    { id: 'one', script: 'git commit -q --allow-empty -m "Do one"', locks: ['a.txt'] },
  ]);
  assert.match(failureOf(run, 'one'), /no-commits: It committed nothing but empty commits/);
  assert.is(repo.git('rev-parse', 'main'), before);
});

test('PCK-1 a large file that is tracked is no matter of its agent, and one that was cut off at the limit is refused', async () => {
  const repo = makeProject({ sandbox: { max_file_size_mb: 1 } });
  writeFileSync(join(repo.path, 'data.bin'), randomBytes(2 * 1024 ** 2));
  writeFileSync(join(repo.path, 'old.bin'), randomBytes(3 * 1024 ** 2));
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'large');
  const commit = (title: string): string => `git add -A && git commit -qm "${title}"`;
  const run = await runTasks(repo, [
    { id: 'beside', script: `touch data.bin old.bin; echo 1 > b.txt; ${commit('b')}`, locks: ['b.txt'] },
    { id: 'cut', script: 'yes 0123456789 | head -c 20000000 > new.txt; true', locks: ['new.txt'] },
    {
      id: 'full',
      script: 'head -c 1048576 /dev/urandom | base64 -w 0 | head -c 1048576 > full.txt',
      locks: ['full.txt'],
    },
    { id: 'moved', script: `mv old.bin other.bin; chmod +x other.bin; ${commit('m')}`, locks: ['*.bin'] },
  ]);
  assert.match(
    failureOf(run, 'cut'),
    /violation: \[file-size\] new\.txt has \d+ bytes; at most 1048576 are allowed/,
  );
  assert.equal(
    landed(repo).filter((path) => /b\.txt|\.bin|new|full/.test(path)),
    ['b.txt', 'data.bin', 'full.txt', 'other.bin'],
    run.stderr,
  );
});

test.run();
