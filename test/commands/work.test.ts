import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

const confined = testIf(test, hasBubblewrap(), 'what the sandbox holds back: needs bubblewrap');

// What a task's script may leave behind, and what becomes of it.

interface Done extends FlameRun {
  readonly lines: readonly Record<string, unknown>[];
  readonly repo: TestRepo;
  readonly task: {
    readonly status: string;
    readonly retry_count: number;
    readonly result: { readonly notes: string; readonly issues: readonly string[] };
    readonly worktree: string | null;
  };
}

interface Options {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly prepare?: (repo: TestRepo) => void;
}

async function work(script: string, options: Options & { readonly locks?: readonly string[] } = {}): Promise<Done> {
  const [done] = await workEach([{ script, locks: options.locks ?? ['src/**'] }], options);
  assert.ok(done);
  return done;
}

/** Scripts that are tasks of one session, and what became of each. */
async function workEach(
  scripts: readonly Pick<ScriptTask, 'script' | 'locks'>[],
  options: Options = {},
): Promise<readonly Done[]> {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 }, ...options.config } });
  options.prepare?.(repo);
  const tasks = scripts.map((task, at) => ({ id: `task-00${at + 1}`, ...task }));
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flameJson(repo, ['run', 'Work', '--from', writePlan(repo, tasks), '--decisions-file', decisions]);
  const ended = ((await flameJson(repo, ['status'])).lines[0]?.tasks ?? []) as Done['task'][];
  assert.is(ended.length, tasks.length, run.stderr);
  return ended.map((task) => ({ ...run, repo, task }));
}

function assertMerged(done: Done): void {
  assert.equal([done.code, done.task.status], [0, 'merged'], done.stdout + done.stderr);
  done.repo.git('fsck', '--strict');
  assert.is(done.repo.git('status', '--porcelain'), '');
}

function assertFailed(done: Done, says: RegExp): void {
  assert.equal([done.code, done.task.status], [1, 'failed'], done.stdout + done.stderr);
  assert.match(`${done.task.result.notes}\n${done.task.result.issues.join('\n')}`, says);
  assert.is(done.repo.git('status', '--porcelain'), '');
  assert.is(done.repo.git('for-each-ref', 'refs/heads/blueflame'), '');
}

test('modes, links, deletions and renames arrive as they were made', async () => {
  const done = await work(
    `printf '#!/bin/sh\\n' > src/run.sh && chmod +x src/run.sh
     chmod +x src/plain.sh
     ln -s a.txt src/link
     rm src/gone.txt
     mv src/old.txt src/new.txt
     mkdir -p src/deep/er && echo deep > src/deep/er/x`,
    {
      prepare: (repo) => {
        repo.write('src/plain.sh', '#!/bin/sh\necho plain\n');
        repo.write('src/gone.txt', 'gone\n');
        repo.write('src/old.txt', 'a text that is\nmoved as it is\n');
        repo.commit('more files');
      },
    },
  );
  assertMerged(done);
  const changes = done.repo.git('diff', '--summary', '-M', 'main^1', 'main').split('\n').sort();
  assert.equal(changes.map((line) => line.trim()).sort(), [
    'create mode 100644 src/deep/er/x',
    'create mode 100755 src/run.sh',
    'create mode 120000 src/link',
    'delete mode 100644 src/gone.txt',
    'mode change 100644 => 100755 src/plain.sh',
    'rename src/{old.txt => new.txt} (100%)',
  ]);
  assert.is(statSync(join(done.repo.path, 'src/run.sh')).mode & 0o111, 0o111);
});

test('names with spaces, quotes, globs and non-ASCII letters arrive', async () => {
  const names = ['a b', `q"uo'te`, 'ünïcödé 日本', '-dash', 'star*', '[x]', '$(touch pwned)', '~', '%41', 'a;b|c'];
  const script = names.map((name) => `echo x > 'src/${name.replaceAll("'", `'\\''`)}'`).join('\n');
  const done = await work(script);
  assertMerged(done);
  for (const name of names) assert.is(readFileSync(join(done.repo.path, 'src', name), 'utf8'), 'x\n', name);
  assert.is(existsSync(join(done.repo.path, 'pwned')), false);
});

test('names that a screen or another system can’t hold fail the task and are shown escaped', async () => {
  const names = ['new\\nline', 'tab\\tx', 'back\\\\slash', '\\033[31mred'];
  const all = await workEach(
    names.map((name, at) => ({
      script: `mkdir src/${at}; printf x > "src/${at}/$(printf '${name}')"`,
      locks: [`src/${at}/**`],
    })),
  );
  for (const done of all) {
    assertFailed(done, /path-malformed/);
    assert.is(/[\u001b\t]/.test(done.stderr), false);
  }
});

test('links out of the repository and links to git’s folder fail the task', async () => {
  const wrong = [
    ['/etc/passwd', /src\/link-0 points to \/etc\/passwd/],
    ['../../outside', /src\/link-1 points out of the repository/],
    ['../.git', /src\/link-2/],
  ] as const;
  const all = await workEach(
    wrong.map(([target], at) => ({ script: `ln -s ${target} src/link-${at}`, locks: [`src/link-${at}`] })),
  );
  for (const [at, [, says]] of wrong.entries()) assertFailed(all[at]!, says);
});

test('PCK-1: a binary file needs a lock that names it', async () => {
  const script = 'head -c 3000 /dev/zero > src/data.bin';
  assertFailed(await work(script), /src\/data\.bin is a binary file that no lock names/);
  const named = await work(script, { locks: ['src/*.bin'] });
  assertMerged(named);
  assert.is(statSync(join(named.repo.path, 'src/data.bin')).size, 3_000);
});

test('WRK-4: what a script commits by itself is kept, with what it left uncommitted on top', async () => {
  const done = await work(
    `echo 1 > src/one.txt; git add src; git commit -q -m 'its own words'
     echo 2 > src/two.txt; git add src/two.txt
     echo 3 > src/three.txt`,
  );
  assertMerged(done);
  const subjects = done.repo.git('log', '--format=%s|%an', 'main^1..main').split('\n');
  assert.ok(
    subjects.some((line) => /^its own words\|worker-[0-9a-f]{8}$/.test(line)),
    subjects.join('\n'),
  );
  assert.is(subjects.length, 3);
  assert.is(
    done.repo.git('ls-tree', '--name-only', 'main', 'src/'),
    'src/a.txt\nsrc/one.txt\nsrc/three.txt\nsrc/two.txt',
  );
});

test('WFL-4: what a script commits in the name of another, at another time, or with the word of another fails', async () => {
  const commit = 'echo 1 > src/one.txt; git add src;';
  const lead = 'Lea Lead <lea@example.com>';
  const wrong = [
    [`git commit -q --author '${lead}' -m one`, /in the name of Lea Lead/],
    [`GIT_COMMITTER_NAME='Lea Lead' git commit -q -m one`, /in the name of Lea Lead <worker-/],
    [`GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' git commit -q -m one; echo 2 > src/two.txt`, /is dated 2020-01-01/],
    // The agent's own git says so at once; --no-verify goes past it.
    [
      `git commit -q --no-verify -m one -m 'Reviewed-by: ${lead}'`,
      /speaks for Lea Lead <lea@example.com> \(Reviewed-by\)/,
    ],
  ] as const;
  const all = await workEach(
    wrong.map(([words], at) => ({
      script: `${commit} ${words}`.replaceAll('src/', `src/${at}-`),
      locks: [`src/${at}-*`],
    })),
  );
  for (const [at, [, says]] of wrong.entries()) assertFailed(all[at]!, says);
  assertMerged(await work(`${commit} git commit -q -s -m one`));
});

confined('SBX-2: what a script does to refs, configuration, hooks and other folders stays without effect', async () => {
  const done = await work(
    `git checkout -q -b elsewhere; git tag evil; git config user.name Evil; git config core.hooksPath /tmp
     git update-ref refs/heads/main HEAD~0; git update-ref -d refs/heads/main; git stash
     mkdir -p ../../.git/hooks; echo 'exit 1' > ../../.git/hooks/pre-commit; echo x > ../../escaped
     git commit -q --allow-empty -m empty; echo one > src/one.txt; exit 0`,
    { prepare: (repo) => repo.write('.git/keep', '') },
  );
  assertMerged(done);
  const { repo } = done;
  assert.is(repo.git('for-each-ref', '--format=%(refname)', 'refs/tags', 'refs/heads/elsewhere', 'refs/stash'), '');
  assert.is(repo.git('config', '--local', '--get-regexp', 'core.bare|user.name'), 'core.bare false');
  assert.is(existsSync(join(repo.path, '.git/hooks/pre-commit')), false);
  assert.is(existsSync(join(repo.path, 'escaped')), false);
});

test('WRK-5: a script that leaves nothing has failed: no-commits', async () => {
  const done = await work('echo thinking; true');
  assertFailed(done, /ended without a change/);
  assert.match(done.stdout, '"kind":"no-commits"');
});

test('WRK-5: an empty commit is no result: the task fails, and nothing lands', async () => {
  const done = await work('git commit -q --allow-empty -m "there was nothing to do"');
  assertFailed(done, /made only empty commits/);
  assert.is(done.repo.git('log', '--format=%s', 'main', '--grep=nothing to do'), '');
});

test('WRK-5: a commit and then a crash: the task fails, its worktree stays to be read', async () => {
  const done = await work('echo half > src/half.txt; git add src; git commit -q -m half; echo more > src/more; exit 9');
  assertFailed(done, /exit code 9/);
  const [left] = readdirSync(`${done.repo.path}.trees`);
  assert.is(readFileSync(join(`${done.repo.path}.trees`, left ?? '', 'src/more'), 'utf8'), 'more\n');
  assert.is(done.repo.git('log', '--all', '--format=%s', '--grep=half'), '');
});

confined('LIF-2: agent_timeout ends a script with all it started', async () => {
  const done = await work('sleep 600 & sleep 600 & echo part > src/part; wait', {
    config: { limits: { max_retries: 0, agent_timeout: '1s' } },
  });
  assertFailed(done, /took longer than 1 s/);
  assert.match(done.stdout, '"kind":"agent-timeout"');
  assert.is(runningIn(done.repo.path), 0);
});

confined('SBX-1: a file beyond max_file_size_mb can’t be written', async () => {
  const done = await work('head -c 100000000 /dev/zero > src/big.bin', {
    locks: ['src/*.bin'],
    config: { limits: { max_retries: 0 }, sandbox: { max_file_size_mb: 5 } },
  });
  assertFailed(done, /SIGXFSZ|file size/i);
  const [left] = readdirSync(`${done.repo.path}.trees`);
  const { size } = statSync(join(`${done.repo.path}.trees`, left ?? '', 'src/big.bin'));
  // A little more than it may have, so that what was cut off is over the limit.
  assert.ok(size <= 5.1 * 1024 * 1024, `${size}`);
});

test('ADP-2: 50 MB of output do no harm, as one line or as many', async () => {
  for (const talk of [`head -c 52428800 /dev/zero | tr '\\0' x`, 'yes a line of output | head -c 52428800']) {
    const done = await work(`${talk}; echo ok > src/ok.txt`);
    assertMerged(done);
    assert.ok(done.stdout.length < 1_000_000, `${done.stdout.length}`);
    assert.ok(sizeOf(join(done.repo.path, '.git/blueflame')) < 30_000_000);
  }
});

test('ADP-2: of a script that prints line by line the last line is shown, and not each before it', async () => {
  const done = await work('for i in $(seq 3000); do echo "line $i"; done; echo ok > src/ok.txt');
  assertMerged(done);
  const shown = done.lines.flatMap(({ event, text }) => (event === 'agent-activity' ? [text] : []));
  assert.is(shown.at(-1), 'line 3000');
  assert.ok(shown.length < 1_000, `${shown.length}`);
});

test('WRK-7: project.copy, link and setup prepare each worktree, and leave nothing in the result', async () => {
  const prepare = (repo: TestRepo): void => {
    repo.write('.gitignore', 'node_modules\n.secrets\n');
    repo.commit('ignore');
    repo.write('local.test', 'KEY=value\n');
    repo.write('.secrets/token', 't\n');
    repo.write('node_modules/dep/index.js', 'x\n');
  };
  const project = {
    name: 'x',
    base_branch: 'main',
    copy: ['local.test', '.secrets'],
    link: ['node_modules'],
    setup: ['echo built > build.txt', 'mkdir -p cache && date > cache/now'],
  };
  const config = { project, permissions: { allowed_paths: ['src/**'] }, limits: { max_retries: 0 } };
  const done = await work(
    `cat local.test .secrets/token node_modules/dep/index.js build.txt > src/seen.txt
     if [ -L node_modules ]; then echo linked >> src/seen.txt; fi`,
    { prepare, config },
  );
  assert.equal([done.code, done.task.status], [0, 'merged'], done.stdout + done.stderr);
  assert.is(done.repo.git('show', 'main:src/seen.txt'), 'KEY=value\nt\nx\nbuilt\nlinked');
  assert.is(done.repo.git('diff', '--name-only', 'main^1', 'main'), 'src/seen.txt');
});

test('WRK-1 WRK-7: a setup command that fails is named with its output, no agent starts, and nothing is left over', async () => {
  const project = {
    name: 'x',
    base_branch: 'main',
    setup: ['true', 'echo half > half-made; echo the registry is away; exit 4'],
  };
  const done = await work('echo never > src/never', { config: { project, limits: { max_retries: 0 } } });
  assertFailed(done, /setup command .* ended with 4\.[\s\S]*the registry is away/);
  assert.is(done.stdout.includes('"event":"agent-started"'), false);
  assert.is(done.repo.git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length, 1);
  const silent = { ...project, setup: ['exit 4'] };
  const mute = await work('true', { config: { project: silent, limits: { max_retries: 0 } } });
  assert.equal(mute.task.result.issues, [], 'it printed nothing');
});

test('submodules, ignored files and a nested repository in the way are no obstacle', async () => {
  const done = await work('echo one > src/one.txt; echo noise > noise.log', {
    prepare: (repo) => {
      repo.write('.gitignore', '*.log\n');
      repo.commit('ignore');
      repo.write('mine.log', 'mine\n');
      mkdirSync(join(repo.path, 'nested'));
      repo.git('init', '-q', 'nested');
      symlinkSync('nowhere', join(repo.path, '.git', 'dangling'));
      chmodSync(join(repo.path, 'mine.log'), 0o400);
    },
  });
  assert.equal([done.code, done.task.status], [0, 'merged'], done.stdout + done.stderr);
  assert.is(readFileSync(join(done.repo.path, 'mine.log'), 'utf8'), 'mine\n');
  assert.is(done.repo.git('ls-tree', '-r', '--name-only', 'main').includes('.log'), false);
});

/** Processes whose working directory lies below a folder. */
function runningIn(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PWD=${folder}.trees`);
    } catch {
      return false;
    }
  }).length;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test.run();
