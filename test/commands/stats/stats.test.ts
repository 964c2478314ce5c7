import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stats } from '../../../lib/domain/view-models/stats-report.ts';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson } from '../../support/flame.ts';
import { parsePrometheus } from '../../support/prometheus.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

/** A project with one session: one task landed, one broke a rule at each attempt. */
async function oneSession(): Promise<TestRepo> {
  const repo = makeExecProject({
    config: {
      limits: { max_retries: 1 },
      validation: { validator_diagnostics: { enabled: true, commands: ['test -e src/one.txt'] } },
    },
  });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'mkdir -p src && echo one > src/one.txt', locks: ['src/one.txt'] },
    { id: 'task-002', script: 'mkdir -p src && echo two > src/other.txt', locks: ['src/two.txt'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'Count', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 1, run.stderr);
  return repo;
}

async function statsOf(repo: TestRepo, ...argv: string[]): Promise<Stats> {
  const run = await flameJson(repo, ['stats', ...argv]);
  assert.is(run.code, 0, run.stderr);
  return run.lines[0] as unknown as Stats;
}

test('WFL-3: the figures of a real session come from its refs', async () => {
  const repo = await oneSession();
  const stats = await statsOf(repo);
  assert.is(stats.schema_version, 1);
  assert.is(stats.sessions.length, 1);
  assert.is(stats.tasks.by_status.merged, 1);
  assert.is(stats.tasks.by_status.failed, 1);
  assert.is(stats.tasks.completion_rate, 0.5);
  assert.equal(stats.retries, { attempts: 3, retried_tasks: 1, per_task: 0.5 });
  assert.equal(stats.failures, [{ source: 'post-check', rule: 'path-out-of-scope', count: 2 }]);
  assert.ok((stats.times_s.cycle?.median ?? 0) > 0);
  assert.ok(stats.health.score !== null && stats.health.score < 0.8);
  assert.equal(stats.anomalies, { history: 0, needed: 5, found: [] });
  assert.match(
    repo.git('log', '--format=%(trailers:key=Failure,valueonly)%(trailers:key=Rule,valueonly)', 'refs/blueflame/tasks'),
    /violation\n+path-out-of-scope/,
  );
});

test('the output goes to a file, whole; metrics and text tell the same', async () => {
  const repo = await oneSession();
  const run = await flame(repo, ['stats', '--format', 'prometheus', '--output', 'flame.prom']);
  assert.is(run.code, 0, run.stderr);
  assert.is(run.stdout, '');
  const samples = parsePrometheus(readFileSync(join(repo.path, 'flame.prom'), 'utf8'));
  assert.is(
    samples.find(({ name, labels }) => name === 'git_flame_failures_total' && labels.rule === 'path-out-of-scope')
      ?.value,
    2,
  );
  assert.equal(
    readdirSync(repo.path).filter((name) => name.includes('.prom')),
    ['flame.prom'],
  );
  const text = await flame(repo, ['stats']);
  assert.match(text.stdout, /^ {2}2 +post-check +path-out-of-scope$/m);
});

test('a file that cannot be written is said, and nothing is left', async () => {
  const repo = await oneSession();
  mkdirSync(join(repo.path, 'folder'));
  for (const file of ['folder', 'missing/stats.json']) {
    const run = await flame(repo, ['stats', '--output', file]);
    assert.is(run.code, 128);
    assert.match(run.stderr, /can't be written/);
  }
  assert.not.ok(readdirSync(repo.path).some((name) => name.endsWith('.new')));
});

test('--all counts every session, --session one', async () => {
  const repo = await oneSession();
  const plan = writePlan(repo, [{ id: 'task-001', script: 'mkdir -p b && echo 1 > b/b', locks: ['b/'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'Again', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  const all = await statsOf(repo, '--all');
  assert.is(all.sessions.length, 2);
  assert.is(all.tasks.total, 3);
  const [first] = all.sessions;
  assert.is((await statsOf(repo)).tasks.total, 1);
  assert.is((await statsOf(repo, '--session', first?.session ?? '')).tasks.total, 2);
});

test('without a session, without a configuration, in a bare repository: figures of nothing', async () => {
  const repo = makeRepo();
  assert.match((await flame(repo, ['stats'])).stdout, /^No session yet/);
  assert.equal((await statsOf(repo, '--all')).sessions, []);
  repo.write('.blueflame.yml', 'project: { nmae: x }\n');
  const broken = await flame(repo, ['stats', '--json']);
  assert.is(broken.code, 0);
  assert.match(broken.stderr, /warning.*has a mistake/);
  repo.git('config', 'core.bare', 'true');
  assert.is((await flame(repo, ['stats'], { cwd: join(repo.path, '.git') })).code, 0);
});

test('a format that is none, or two at once, is a mistake of the command line', async () => {
  const repo = makeRepo();
  assert.is((await flame(repo, ['stats', '--format', 'xml'])).code, 129);
  assert.is((await flame(repo, ['stats', '--format', 'html', '--json'])).code, 129);
  assert.is((await flame(repo, ['stats', '--format', 'json'])).code, 0);
  assert.not.ok(existsSync(`${repo.path}.trees`));
});

test.run();
