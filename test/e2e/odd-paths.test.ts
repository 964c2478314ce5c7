import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

/** A repository with these files. */
function projectWith(paths: readonly string[], permissions: Readonly<Record<string, unknown>> = {}): TestRepo {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 }, permissions } });
  for (const path of paths) repo.write(path, 'one\n');
  repo.commit('files of a framework');
  return repo;
}

/** A run of one task for each lock; each writes one path. */
function runTasks(repo: TestRepo, tasks: readonly (readonly [lock: string, path: string])[]): Promise<FlameRun> {
  const plan = tasks.map(([lock, path], at) => ({
    id: `task-00${at + 1}`,
    script: `mkdir -p "$(dirname '${path}')" && echo two > '${path}'`,
    locks: [lock],
    group: `group-${at + 1}`,
  }));
  const decisions = writeDecisions(repo, {
    ...{ plan: ['approve'], changesets: Array(tasks.length).fill('approve') },
    ...{ validation: Array(tasks.length).fill('drop'), session: ['stop'] },
  });
  return flame(repo, ['run', 'Go', '--from', writePlan(repo, plan), '--decisions-file', decisions]);
}

test('WTR-6 locks and allowed_paths with the folders of frameworks land what they name, new ones too', async () => {
  const next = ['app/[slug]/page.tsx', 'app/shop/[[...rest]]/(group)/page.tsx', 'app/@modal/(..)photo/[id]/page.tsx'];
  const kit = ['src/routes/[lang=lang]/+page@(app).svelte', 'src/routes/[x+2e]a/+page.svelte'];
  const remix = ['app/routes/$id.[json].tsx', 'app/routes/($lang)._index.tsx'];
  const allowed = ['app/**', 'src/routes/[lang=lang]/**', 'src/routes/[x+2e]a/+page.svelte'];
  const repo = projectWith([...next, ...kit, ...remix], { allowed_paths: allowed });
  const folder = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  const run = await runTasks(repo, [
    ...next.map((path) => [`${folder(path)}/**`, path] as const),
    ...[...kit, ...remix].map((path) => [path, path] as const),
    ['app/[new]/(a)/**', 'app/[new]/(a)/page.tsx'],
  ]);
  assert.is(run.code, 0, run.stderr);
  for (const path of [...next, ...kit, ...remix, 'app/[new]/(a)/page.tsx'])
    assert.is(repo.git('show', `main:${path}`), 'two', path);
});

test('WTR-6 a lock that names a file with wildcards in its name lets no other one land', async () => {
  const own = ['app/[slug]/page.tsx', 'what?.md', '{a,b}.txt', 'a*.ts'];
  const other = ['app/s/page.tsx', 'whats.md', 'a.txt', 'ab.ts'];
  const repo = projectWith([...own, ...other]);
  const crossed = own.map((lock, at) => [lock, other[at] ?? ''] as const);
  const run = await runTasks(repo, [...crossed, ...own.map((path) => [path, path] as const)]);
  for (const path of other) {
    assert.match(run.stderr, `[path-out-of-scope] ${path} is not in the locks of this task`);
    assert.is(repo.git('show', `main:${path}`), 'one');
  }
  for (const path of own) assert.is(repo.git('show', `main:${path}`), 'two', path);
});

test('WTR-6 policy check reads the paths of the configuration by what is there', async () => {
  const repo = projectWith(['app/[slug]/page.tsx', 'app/s/page.tsx', 'q?.md'], {
    ...{ allowed_paths: ['app/[slug]/**', 'q?.md'], blocked_paths: ['keys/[ab]/**'] },
  });
  const verdicts: Readonly<Record<string, number>> = {
    'app/[slug]/page.tsx': 0,
    'app/s/page.tsx': 1,
    'q?.md': 0,
    'qa.md': 1,
    'keys/a/x': 1,
    'keys/[ab]/x': 1,
  };
  for (const [path, code] of Object.entries(verdicts)) {
    const check = await flame(repo, ['policy', 'check', `Write ${path}`]);
    assert.is(check.code, code, `${path}: ${check.stdout}`);
  }
});

test('PLN-1 a lock that git ignores is named at the plan, with the rule', async () => {
  const repo = projectWith(['src/.gitignore']);
  repo.write('src/.gitignore', 'out/\n');
  repo.commit('ignore');
  const run = await runTasks(repo, [
    ['src/a', 'src/a'],
    ['src/out/x', 'src/a'],
    ['src/out/**', 'src/a'],
    ['src/out', 'src/a'],
  ]);
  for (const [lock, task] of [
    ['src/out/x', 'task-002'],
    ['src/out/**', 'task-003'],
    ['src/out', 'task-004'],
  ] as const)
    assert.match(run.stderr, `git ignores ${lock}, which ${task} locks, by src/.gitignore:1 (out/)`);
  assert.not.match(run.stderr, 'git ignores src/a');
});

test.run();
