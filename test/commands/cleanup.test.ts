import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stats } from '../../lib/domain/shown/stats.ts';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { prepared, type TestRepo } from '../support/repo.ts';

const second = 'if [ "$FLAME_ATTEMPT" = 1 ]; then';

/** A project whose tasks ran to the end of their session; `worker` keeps to its locks or not. */
async function runTasks(tasks: readonly ScriptTask[], retries = 1): Promise<TestRepo> {
  const repo = makeExecProject({ config: { limits: { max_retries: retries } } });
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve', 'approve'] });
  await flame(repo, ['run', 'Try', '--from', writePlan(repo, tasks), '--decisions-file', decisions]);
  return repo;
}

const ended = prepared(runTasks);

/** One task that fails half-way, and another attempt at it that landed. */
const twice = (): Promise<TestRepo> =>
  ended([
    {
      id: 'task-001',
      script: `${second} echo half > src/one.txt; exit 3; fi; echo whole > src/one.txt`,
      locks: ['src/one.txt'],
    },
  ]);

const landed = (): Promise<TestRepo> =>
  ended([{ id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);

function trees(repo: TestRepo): readonly string[] {
  const folder = `${repo.path}.trees`;
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('MRG-12 LIF-7 a failed attempt at a task that was merged is put away as a rescue when the session ends', async () => {
  const repo = await twice();
  assert.is(repo.git('show', 'main:src/one.txt'), 'whole');
  assert.equal(trees(repo), []);
  const { lines } = await flameJson(repo, ['rescue', 'list']);
  const [rescue] = (lines[0]?.rescues ?? []) as readonly Record<string, string>[];
  assert.match(rescue?.name ?? '', /^ses-[\d-]+[0-9a-f]{4}\/task-001\/1$/);
  assert.match(rescue?.agent ?? '', /^worker-[0-9a-f]{8}$/);
  assert.match(rescue?.why ?? '', /merged without it/);
  assert.is(repo.git('show', `${rescue?.ref}:src/one.txt`), 'half');
  assert.is(repo.git('log', '--format=%an', '-1', rescue?.ref ?? ''), rescue?.agent);
  assert.is(repo.git('branch', '--contains', rescue?.commit ?? ''), '');
  repo.git('fsck', '--strict');
});

test('LIF-7 rescue show, restore and drop', async () => {
  const repo = await twice();
  const shown = await flame(repo, ['rescue', 'show', 'task-001', '--diff']);
  assert.match(shown.stdout, /1 file changed, \+1 -0/);
  assert.match(shown.stdout, /^\+half$/m);
  const folder = join(dirname(repo.path), 'got back');
  const restored = await flame(repo, ['rescue', 'restore', 'task-001/1', '--to', folder]);
  assert.is(restored.code, 0, restored.stderr);
  assert.is(readFileSync(join(folder, 'src/one.txt'), 'utf8'), 'half\n');
  assert.is(readFileSync(join(folder, 'README.md'), 'utf8'), '# Sample\n');
  const again = await flame(repo, ['rescue', 'restore', 'task-001', '--to', folder]);
  assert.is(again.code, 1);
  assert.match(again.stderr, /not empty/);
  assert.is((await flame(repo, ['rescue', 'restore', 'task-009'])).code, 1);
  assert.is((await flame(repo, ['rescue', 'show'])).code, 129);
  const dropped = await flame(repo, ['rescue', 'drop', 'task-001']);
  assert.is(dropped.code, 0, dropped.stderr);
  assert.match((await flame(repo, ['rescue', 'list'])).stdout, /Nothing was rescued/);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/rescue'), '');
  assert.is(repo.git('status', '--porcelain'), '');
});

test('UNI-5 what left its scope is not rescued unasked: its worktree stays, and nothing of it enters the repository', async () => {
  const repo = await runTasks([
    {
      id: 'task-001',
      script: `${second} printf 'out-of-%s' scope > README.md; exit 3; fi; echo 1 > src/one.txt`,
      locks: ['src/one.txt'],
    },
  ]);
  assert.is(repo.git('show', 'main:src/one.txt'), '1');
  const [tree = ''] = trees(repo);
  assert.match(readFileSync(join(`${repo.path}.trees`, tree, 'README.md'), 'utf8'), /out-of-scope/);
  assert.not.match(allObjects(repo), /out-of-scope/);
  const preview = await flame(repo, ['cleanup']);
  assert.match(preview.stdout, /Would be removed:[\s\S]*\.trees\/worker-/);
  assert.equal(trees(repo), [tree]);
  const cleaned = await flame(repo, ['cleanup', '--yes']);
  assert.is(cleaned.code, 0, cleaned.stderr);
  assert.match(cleaned.stdout, /rescued/);
  assert.equal(trees(repo), []);
  const [ref = ''] = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue').split('\n');
  assert.is(repo.git('show', `${ref}:README.md`), 'out-of-scope');
  assert.is(repo.git('show', 'main:README.md'), '# Sample');
});

test('LIF-7 a secret is never rescued: its worktree stays, also when asked', async () => {
  const key = `AKIA${'IOSFODNN7EXAMPLQ'}`;
  const repo = await runTasks([
    {
      id: 'task-001',
      script: `${second} echo 'aws_access_key_id = ${key}' > src/one.txt; exit 3; fi; echo 1 > src/one.txt`,
      locks: ['src/one.txt'],
    },
  ]);
  assert.is(repo.git('show', 'main:src/one.txt'), '1');
  assert.is(trees(repo).length, 1);
  const cleaned = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.is(cleaned.code, 1, cleaned.stdout);
  assert.match(cleaned.stdout, /kept/);
  assert.is(trees(repo).length, 1);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/rescue'), '');
});

test('CLN-1 unmerged work stays without --force; with it everything is rescued first', async () => {
  const repo = await runTasks(
    [
      { id: 'task-001', script: 'echo half > src/one.txt; exit 3', locks: ['src/one.txt'], group: 'one' },
      { id: 'task-002', script: 'echo 2 > src/two.txt', locks: ['src/two.txt'], group: 'two' },
    ],
    0,
  );
  const [tree = ''] = trees(repo);
  const preview = await flameJson(repo, ['cleanup']);
  assert.is(preview.lines[0]?.done, false);
  assert.match(JSON.stringify(preview.lines[0]?.needs_force), new RegExp(tree));
  assert.match(JSON.stringify(preview.lines[0]?.items), /refs\/heads\/blueflame\/ses-[^"]*\/task-002/);
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.equal(trees(repo), [tree]);
  assert.is(repo.git('for-each-ref', 'refs/heads/blueflame'), '');
  assert.is((await flame(repo, ['cleanup', '--yes', '--force'])).code, 0);
  assert.equal(trees(repo), []);
  const [ref = ''] = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue').split('\n');
  assert.is(repo.git('show', `${ref}:src/one.txt`), 'half');
  assert.match((await flame(repo, ['cleanup'])).stdout, /Nothing to remove/);
  repo.git('fsck', '--strict');
});

test('CLN-1 a branch of an ended session that did not merge needs --force and becomes a rescue', async () => {
  const repo = makeExecProject({ config: { limits: { max_wave_cycles: 1 } } });
  const plan = writePlan(repo, [{ id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);
  const waiting = writeDecisions(repo, { plan: ['approve'] });
  await flame(repo, ['run', 'Try', '--from', plan, '--decisions-file', waiting]);
  // A session that waits for a person has not ended: nothing of it is stale.
  assert.match((await flame(repo, ['cleanup', '--force'])).stdout, /Nothing to remove/);
  const rejecting = writeDecisions(repo, { changesets: [{ reject: 'no' }] });
  await flame(repo, ['run', '--decisions-file', rejecting]);
  const [branch = ''] = repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/blueflame').split('\n');
  const tip = repo.git('rev-parse', branch);
  assert.match((await flame(repo, ['cleanup', '--yes'])).stdout, /stays without --force:\n.*task-001/);
  assert.is(repo.git('rev-parse', branch), tip);
  assert.is((await flame(repo, ['cleanup', '--yes', '--force'])).code, 0);
  assert.is(repo.git('for-each-ref', 'refs/heads/blueflame', 'refs/blueflame/changesets'), '');
  assert.match(repo.git('for-each-ref', '--points-at', tip), /refs\/blueflame\/rescue\/ses-.*\/task-001\/1/);
});

test('CLN-3 logs older than their retention go, younger ones stay', async () => {
  const repo = await landed();
  const logs = join(repo.path, '.git/blueflame/logs');
  const old = join(logs, 'worker-00000000.stream.jsonl');
  writeFileSync(old, 'old\n');
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
  utimesSync(old, longAgo, longAgo);
  const before = readdirSync(logs).length;
  assert.match((await flame(repo, ['cleanup'])).stdout, /worker-00000000\.stream\.jsonl/);
  assert.is(readdirSync(logs).length, before);
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.is(existsSync(old), false);
  assert.is(readdirSync(logs).length, before - 1);
});

test('CLN-3 CFG-7 the configuration an open session worked by is kept, however old', async () => {
  const repo = makeExecProject();
  const task = { id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] };
  const plan = ['plan', 'Wait', '--from', writePlan(repo, [task])];
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  assert.is((await flame(repo, [...plan, '--decisions-file', decisions])).code, 0);
  const logs = join(repo.path, '.git/blueflame/logs');
  const isConfig = (name: string): boolean => name.endsWith('.config.yml');
  const [kept = ''] = readdirSync(logs).filter(isConfig);
  const stray = join(logs, `sha256-${'0'.repeat(12)}.config.yml`);
  writeFileSync(stray, '');
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
  for (const file of [stray, join(logs, kept)]) utimesSync(file, longAgo, longAgo);
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.equal(readdirSync(logs).filter(isConfig), [kept]);
  await flame(repo, ['run', '--decisions-file', decisions]);
  utimesSync(join(logs, kept), longAgo, longAgo);
  await flame(repo, ['cleanup', '--yes']);
  assert.equal(readdirSync(logs).filter(isConfig), []);
});

test('CLN-3 old sessions are archived at the end of a later one, or by cleanup; they stay readable by name', async () => {
  const repo = makeExecProject({ config: { retention: { sessions: 2 } } });
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const runOne = async (name: string): Promise<string> => {
    const task = { id: 'task-001', script: `echo ${name} > src/${name}.txt`, locks: [`src/${name}.txt`] };
    const plan = writePlan(repo, [task]);
    const run = await flameJson(repo, ['run', name, '--from', plan, '--decisions-file', decisions]);
    assert.is(run.code, 0, run.stderr);
    const last = run.lines.at(-1)?.session as { readonly id: string };
    return last.id;
  };
  const [first, second] = [await runOne('one'), await runOne('two')];
  const whole = (await flameJson(repo, ['status', '--session', first])).lines[0];
  await runOne('three');
  const archived = (): string =>
    repo.git('ls-tree', '--name-only', 'refs/blueflame/archive/sessions:anchors/').replaceAll('anchors/', '');
  assert.is(archived(), first);
  assert.equal((await flameJson(repo, ['status', '--session', first])).lines[0], whole);
  const shown = await flame(repo, ['show', 'task-001', '--session', first]);
  assert.match(shown.stdout, 'echo one');
  assert.match((await flame(repo, ['log', '--session', first])).stdout, `session: ${first} archived`);
  const stats = (await flameJson(repo, ['stats', '--all'])).lines[0] as unknown as Stats;
  assert.equal([stats.sessions.length, stats.tasks.by_status.merged], [3, 3]);
  const ofFirst = (await flameJson(repo, ['stats', '--session', first])).lines[0] as unknown as Stats;
  assert.equal([ofFirst.sessions.length, ofFirst.tasks.by_status.merged], [1, 1]);
  for (const words of [
    ['resume', first],
    ['resume', first, '--dry-run'],
    ['work', '--session', first],
  ]) {
    const refused = await flame(repo, words);
    assert.is(refused.code, 1, words.join(' '));
    assert.match(refused.stderr, /has ended and was archived.*\n.*git flame status --session/s);
  }
  repo.write('.blueflame.yml', repo.git('show', 'HEAD:.blueflame.yml').replace('sessions: 2', 'sessions: 1'));
  repo.commit('keep less');
  const preview = await flame(repo, ['cleanup']);
  assert.match(preview.stdout, new RegExp(`session +${second}`));
  assert.is(archived(), first);
  const done = await flame(repo, ['cleanup', '--yes']);
  assert.is(done.code, 0, done.stderr);
  assert.match(done.stdout, new RegExp(`archived +${second}`));
  // git lists by name, and two sessions of the same second differ by chance alone.
  assert.equal(archived().split('\n'), [first, second].sort());
  assert.match((await flame(repo, ['cleanup'])).stdout, 'Nothing to remove');
  repo.git('fsck', '--strict');
});

test('CLN-1 what kept commits for other clones goes once all of them have landed and their session has ended', async () => {
  const repo = await landed();
  const id = repo.git('ls-tree', '--name-only', 'refs/blueflame/sessions:anchors/');
  const empty = repo.git('hash-object', '-t', 'tree', '-w', '/dev/null');
  const keep = (...commits: readonly string[]): string =>
    repo.git('commit-tree', '-m', `kept commits of ${id}`, ...commits.flatMap((oid) => ['-p', oid]), empty);
  const all = keep(repo.git('rev-parse', 'main'));
  const ref = `refs/blueflame/kept/${id}`;
  repo.git('update-ref', ref, all);
  assert.match((await flame(repo, ['cleanup'])).stdout, new RegExp(`commit +${ref}.*merged into main`));
  const loose = repo.git('commit-tree', '-m', 'not landed', 'HEAD^{tree}');
  repo.git('update-ref', ref, keep(all, loose));
  // As an earlier version left it.
  repo.git('update-ref', `refs/blueflame/commits/${id}/${repo.git('rev-parse', 'main')}`, 'main');
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/commits'), '');
  assert.is(repo.git('rev-parse', `${ref}^2`), loose, 'what did not land stays');
  repo.git('update-ref', ref, all);
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/kept'), '');
});

/** Every text in the repository's objects, also those nothing refers to. */
function allObjects(repo: TestRepo): string {
  return repo
    .git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)')
    .split('\n')
    .filter((line) => line.startsWith('blob '))
    .map((line) => repo.git('cat-file', 'blob', line.slice(5)))
    .filter((text) => !text.startsWith('{'))
    .join('\n');
}

test.run();
