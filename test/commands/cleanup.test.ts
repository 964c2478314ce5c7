import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stats } from '../../lib/domain/view-models/stats-report.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

async function landed(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'Try', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  return repo;
}

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
  assert.match((await flame(repo, ['cleanup'])).stdout, new RegExp(`commit +${ref}.*landed on main`));
  const loose = repo.git('commit-tree', '-m', 'not landed', 'HEAD^{tree}');
  repo.git('update-ref', ref, keep(all, loose));
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.is(repo.git('rev-parse', `${ref}^2`), loose, 'what did not land stays');
  repo.git('update-ref', ref, all);
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/kept'), '');
});

test.run();
