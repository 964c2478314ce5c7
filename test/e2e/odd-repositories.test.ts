import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame, lookOnly } from '../support/flame.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

function runTasks(repo: TestRepo, tasks: readonly ScriptTask[], changesets: unknown[] = []): Promise<FlameRun> {
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [...changesets, ...Array(4).fill('approve')],
    session: ['continue', 'stop'],
  });
  return flame(repo, ['run', 'Go', '--from', writePlan(repo, tasks), '--decisions-file', decisions]);
}

const once = { limits: { max_retries: 0 } };

function withSubmodule(config: Readonly<Record<string, unknown>> = once): TestRepo {
  const repo = makeExecProject({ config });
  const library = makeRepo({ name: 'basic' });
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'lib/basic');
  repo.commit('a submodule');
  return repo;
}

function worktreesOf(repo: TestRepo): readonly string[] {
  const folder = join(repo.path, '.flame-worktrees');
  const named = repo
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => /^worktree (.*worker-.*)$/.exec(line)?.[1] ?? []);
  return named.length > 0 || !existsSync(folder) ? named : readdirSync(folder).map((name) => join(folder, name));
}

test('UNI-5 a plan with a task about files of a submodule is refused before anything starts', async () => {
  const repo = withSubmodule();
  const run = await runTasks(repo, [
    { id: 'a', script: 'touch never', locks: ['lib/basic/**'] },
    { id: 'b', script: 'echo b > b', locks: ['b'], group: 'other' },
  ]);
  assert.is.not(run.code, 0);
  assert.match(run.stderr, /a: file lock lib\/basic\/\*\* is in the submodule lib\/basic/);
  assert.equal(worktreesOf(repo), []);
});

test('UNI-5 what is written into a submodule all the same is neither taken in nor lost', async () => {
  const repo = withSubmodule();
  repo.write('lib/own.txt', 'beside it\n');
  repo.commit('a file beside the submodule');
  const script = 'mkdir -p lib/basic/d; echo valuable > lib/basic/d/v.txt; echo top > lib/top.txt';
  const run = await runTasks(repo, [{ id: 'a', script, locks: ['lib/**'] }]);
  assert.is.not(run.code, 0);
  assert.match(run.stderr, /Changes inside submodule lib\/basic can't be accepted/);
  const [worktree = ''] = worktreesOf(repo);
  assert.is(readFileSync(join(worktree, 'lib/basic/d/v.txt'), 'utf8'), 'valuable\n');
  const kept = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.is(readFileSync(join(worktree, 'lib/basic/d/v.txt'), 'utf8'), 'valuable\n');
  assert.match(
    kept.stdout.replace(/\s+/g, ' '),
    /The worktree can be removed once the submodule's folder in it is empty/,
  );
  rmSync(join(worktree, 'lib/basic/d'), { recursive: true });
  const done = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.is(done.code, 0, done.stdout);
  assert.not(existsSync(worktree));
});

test('WRK-7 files of a submodule can be brought into worktrees, by copy and by link', async () => {
  for (const how of ['copy', 'link']) {
    const repo = withSubmodule({
      ...once,
      project: { name: 'x', base_branch: 'main', [how]: ['lib/basic'] },
    });
    const task = { id: 'a', script: 'cat lib/basic/src/a.txt > out.txt', locks: ['out.txt'] };
    const run = await runTasks(repo, [task]);
    assert.is(run.code, 0, run.stderr);
    assert.is(repo.git('show', 'main:out.txt'), 'a');
    assert.is(repo.git('status', '--porcelain'), '');
  }
});

test('UNI-5 a changed file whose name is no UTF-8 is never dropped in silence', async () => {
  const repo = makeExecProject({ config: once });
  const odd = Buffer.from(`${repo.path}/latin\xe9.txt`, 'latin1');
  writeFileSync(odd, 'old\n');
  repo.commit('an odd name');
  const removed = await runTasks(repo, [{ id: 'a', script: 'rm lat*; echo t > t', locks: ['**'] }]);
  assert.is(removed.code, 0, removed.stderr);
  assert.not.match(repo.git('ls-tree', '--name-only', 'main'), /latin/);
  writeFileSync(odd, 'old\n');
  repo.commit('an odd name again');
  for (const change of ['echo more >> lat*', 'touch "$(printf \'new\\351.txt\')"']) {
    const run = await runTasks(repo, [{ id: 'a', script: `${change}; echo top > top.txt`, locks: ['**'] }]);
    assert.is(run.code, 1, run.stderr);
    assert.match(run.stderr, /path-malformed/);
    assert.ok(worktreesOf(repo).length > 0);
    const cleaned = await flame(repo, ['cleanup', '--yes', '--force']);
    assert.match(cleaned.stdout, /rescued/);
    const rescue = repo.git('for-each-ref', '--format=%(objectname)', 'refs/blueflame/rescue').split('\n').at(-1) ?? '';
    assert.ok(repo.git('diff', '--name-only', 'main', rescue).includes('\\351'));
  }
  assert.is(repo.git('status', '--porcelain'), '');
});

test('WRK-5 names with blanks, quotes and every sign that can be printed are work like any other', async () => {
  const repo = makeExecProject({ config: once });
  const signs = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));
  const plain = signs.filter((sign) => !['/', '\\', '.'].includes(sign));
  const names = [...plain, ...plain.map((sign) => `a ${sign}`), 'ä€', '%20', '-n', '$HOME'];
  const script = names.map((name) => `echo x > 'd/${name.replaceAll("'", "'\\''")}'`).join('\n');
  const run = await runTasks(repo, [{ id: 'a', script: `mkdir d\n${script}`, locks: ['d/**'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.equal(readdirSync(join(repo.path, 'd')).sort(), names.sort());
  assert.is(repo.git('status', '--porcelain'), '');
});

test('WRK-5 names with a line end, a backslash or a blank at the edge are refused by name, and nothing is lost', async () => {
  const repo = makeExecProject({ config: once });
  const script = ["printf 'd/two\\nlines'", "printf 'd/back\\\\slash'", "printf 'd/blank .'"]
    .map((name) => `name=$(${name}); echo x > "\${name%.}"`)
    .join('\n');
  const run = await runTasks(repo, [{ id: 'a', script: `mkdir d\n${script}`, locks: ['d/**'] }]);
  assert.is(run.code, 1, run.stderr);
  for (const why of ['invisible characters', 'contains a backslash', 'a space at the start'])
    assert.match(run.stderr, why);
  const [tree = ''] = worktreesOf(repo);
  assert.equal(readdirSync(join(tree, 'd')).sort(), ['back\\slash', 'blank ', 'two\nlines']);
});

test('UNI-5 an attempt that was rejected is there after another one landed, cleanup and gc', async () => {
  const repo = makeExecProject();
  const task = { id: 'a', script: 'date +%N > out.txt', locks: ['out.txt'] };
  const run = await runTasks(repo, [task], [{ reject: 'no' }]);
  assert.is(run.code, 0, run.stderr);
  const rejected = repo.git('for-each-ref', '--format=%(objectname)', 'refs/blueflame/rescue/');
  assert.match(rejected, /^[0-9a-f]{40}$/);
  assert.is((await flame(repo, ['cleanup', '--yes'])).code, 0);
  repo.git('reflog', 'expire', '--all', '--expire=now');
  repo.git('gc', '-q', '--prune=now');
  assert.is(repo.git('cat-file', '-t', rejected), 'commit');
  assert.match((await flame(repo, ['rescue', 'list'])).stdout, /\/a\/1/);
});

test('WRK-7 what the setup changes in tracked files is put back and never blamed on an agent; what is missing is said', async () => {
  const project = {
    name: 'x',
    base_branch: 'main',
    setup: ['echo changed >> src/a.txt; rm README.md'],
    copy: ['.env.test'],
  };
  const repo = makeExecProject({ config: { ...once, project } });
  const run = await runTasks(repo, [{ id: 'a', script: 'cat src/a.txt > out.txt', locks: ['out.txt'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, /project\.setup changed tracked files\. They were restored.*README\.md, src\/a\.txt/);
  assert.match(run.stderr, /matches "\.env\.test"/);
  assert.is(repo.git('show', 'main:out.txt'), 'a');
  assert.is(repo.git('diff', '--name-only', 'HEAD~1', 'HEAD'), 'out.txt');
});

test('CFG-5 tasks about files behind a filter are refused by path, others go on, and the tree stays clean', async () => {
  const repo = makeExecProject({ config: once });
  repo.git('config', 'filter.rot.clean', 'tr a-z n-za-m');
  repo.git('config', 'filter.rot.smudge', 'tr a-z n-za-m');
  repo.git('config', 'filter.rot.required', 'true');
  repo.write('.gitattributes', 'secret/** filter=rot\n');
  repo.write('secret/key', 'hello\n');
  repo.commit('filtered');
  const run = await runTasks(repo, [
    { id: 'a', script: 'echo plain > secret/key', locks: ['secret/key'] },
    { id: 'b', script: 'echo plain > secret/new', locks: ['secret/new'], group: 'b' },
    { id: 'c', script: 'echo c > c', locks: ['c'], group: 'c' },
  ]);
  assert.match(run.stderr, /1 file goes through a filter \(rot\), such as secret\/key/);
  assert.match(run.stderr, /secret\/key goes through the filter "rot"/);
  assert.match(run.stderr, /secret\/new goes through the filter "rot"/);
  assert.match(run.stderr, /worker-\w+ ended on c/);
  assert.not.match(run.stderr, /worker-\w+ ended on [ab]/);
  assert.is(repo.git('show', 'main:c'), 'c');
  assert.is(repo.git('show', 'main:secret/key'), 'uryyb');
  assert.is(repo.git('status', '--porcelain'), '');
  assert.match((await flame(repo, lookOnly)).stdout, /through a filter \(rot\)/);
});

test('MRG-3 doctor names the merge drivers of the person that do not run on the work of agents', async () => {
  const repo = makeExecProject();
  repo.git('config', 'merge.lock-file.driver', 'cp %B %A');
  assert.match(
    (await flame(repo, lookOnly)).stdout,
    /Merge drivers of your git configuration do not run .*: lock-file\./,
  );
});

test('CFG-5 core.autocrlf with core.safecrlf', async () => {
  const repo = makeExecProject();
  repo.git('config', 'core.autocrlf', 'true');
  repo.git('config', 'core.safecrlf', 'true');
  const run = await runTasks(repo, [{ id: 'a', script: "printf 'one\\ntwo\\n' > out.txt", locks: ['out.txt'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('status', '--porcelain'), '');
});

test.run();
