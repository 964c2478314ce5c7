import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

async function planned(repo: TestRepo, name: string, ...more: string[]): Promise<string> {
  const task = {
    id: 'task-001',
    script: `echo ${name} > src/${name}.txt`,
    locks: [`src/${name}.txt`],
    group: name,
  };
  const decisions = writeDecisions(repo, { plan: ['approve'] }, `${name}-decisions.yml`);
  const plan = writePlan(repo, [task], `${name}.yml`);
  const run = await flame(repo, ['plan', name, '--from', plan, '--decisions-file', decisions, ...more]);
  assert.is(run.code, 0, run.stderr);
  const [status] = (await flameJson(repo, ['status'])).lines;
  return ((status?.session ?? { id: 'none' }) as { id: string }).id;
}

test('a session whose plan waits is in the cycle that its plan begins, also where it is continued', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'task-001', script: 'true', locks: ['src/a.txt'] }]);
  const first = await flame(repo, ['run', 'A', '--from', plan]);
  assert.match(first.stderr, /Wave plan, cycle 1\n/);
  const again = await flame(repo, ['resume']);
  assert.match(again.stderr, /Continues with ses-\S+, cycle 1, wave plan: A \(/);
});

test('LIF-4 resume goes on with the current session, or with one by name', async () => {
  const repo = makeExecProject();
  const older = await planned(repo, 'older');
  const newer = await planned(repo, 'newer', '--new');
  const approve = writeDecisions(repo, { changesets: ['approve'] });
  const preview = await flame(repo, ['resume', '--dry-run']);
  assert.match(preview.stdout, new RegExp(`${newer} would continue with: work`));
  const current = await flame(repo, ['resume', '--decisions-file', approve]);
  assert.is(current.code, 0, current.stderr);
  assert.match(current.stderr, new RegExp(`Continues with ${newer}, cycle 1, wave work: newer`));
  const named = await flame(repo, ['resume', older, '--decisions-file', approve]);
  assert.is(named.code, 0, named.stderr);
  assert.match(named.stderr, new RegExp(`Continues with ${older}`));
  assert.equal(
    [repo.git('show', 'main:src/newer.txt'), repo.git('show', 'main:src/older.txt')],
    ['newer', 'older'],
  );
});

test('resume of a session that has ended changes nothing; of none, or an unknown one, it is refused', async () => {
  const repo = makeExecProject();
  const none = await flame(repo, ['resume']);
  assert.is(none.code, 1);
  assert.match(none.stderr, /no session in this repository yet/);
  const id = await planned(repo, 'one');
  await flame(repo, ['resume', '--decisions-file', writeDecisions(repo, { changesets: ['approve'] })]);
  const before = repo.git('rev-parse', 'refs/blueflame/sessions', 'refs/blueflame/tasks', 'main');
  const again = await flame(repo, ['resume', id]);
  assert.is(again.code, 0, again.stderr);
  assert.is(repo.git('rev-parse', 'refs/blueflame/sessions', 'refs/blueflame/tasks', 'main'), before);
  const unknown = await flame(repo, ['resume', 'ses-20260206-143022-1a2b']);
  assert.is(unknown.code, 1);
  assert.match(unknown.stderr, /There is no session ses-20260206-143022-1a2b/);
});

test('the worktree of a failed task is kept, and the end of the session says so', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const plan = writePlan(repo, [{ id: 'task-001', script: 'echo x > src/x; exit 3', locks: ['src/x'] }]);
  const run = await flame(repo, [
    'run',
    'Fail',
    '--from',
    plan,
    '--decisions-file',
    writeDecisions(repo, { plan: ['approve'] }),
  ]);
  assert.is(run.code, 1);
  assert.match(run.stderr, /1 worktree of this session is kept: git flame cleanup \(.*\.trees\/worker-/);
});

test.run();
