import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { execConfig, makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { programFolder, runProgram } from '../support/program.ts';
import { assertRefused } from '../support/refusal.ts';
import { makeRepo, makeTempDir, openRepo, prepared, type TestRepo } from '../support/repo.ts';
import { trusted } from '../support/trusted.ts';

const oneTask: readonly ScriptTask[] = [
  { id: 'task-001', script: 'echo one > src/one.txt', locks: ['src/one.txt'], group: 'one' },
];

/** A session whose changeset waits for its review. */
const makeWaiting = prepared(async () => {
  const repo = makeExecProject();
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  await flame(repo, ['run', 'x', '--from', writePlan(repo, oneTask), '--decisions-file', decisions]);
  return repo;
});

// Configuration

test('CFG-1: five mistakes of a configuration are shown at once, each with its place, underline and hint', async () => {
  const repo = makeExecProject();
  const lines = [
    'schema_version: 1',
    'project: {nme: sample}',
    'concurrency: {development: 9}',
    'limits: {agent_timeout: 5 parsecs}',
    'permissions:',
    '  allowed_paths: src/**',
    '  bash_rules: {blocked_patterns: ["(rm"]}',
  ];
  repo.write('.blueflame.yml', `${lines.join('\n')}\n`);
  const run = await flame(repo, ['run', 'Anything', '--from', writePlan(repo, oneTask)]);
  assertRefused(run, { code: 128, says: '.blueflame.yml has 5 mistakes' });
  const shown = run.stderr.split('\n');
  const expected = [
    { at: '2:11', marks: 'nme', hint: 'did you mean name?' },
    { at: '3:28', marks: '9', hint: 'from 1 to 8' },
    { at: '4:25', marks: '5 parsecs', hint: '90s' },
    { at: '6:18', marks: 'src/**', hint: '["src/**"]' },
    { at: '7:35', marks: '"(rm"', hint: 'backslash' },
  ];
  for (const { at, marks, hint } of expected) {
    const place = shown.findIndex((line) => line.includes(`.blueflame.yml:${at} `));
    assert.ok(place >= 0, `${at}: ${run.stderr}`);
    const [source = '', underline = ''] = shown.slice(place + 1);
    const from = underline.indexOf('^');
    assert.is(source.slice(from, underline.length), marks, run.stderr);
    assert.match(shown[place + 3] ?? '', hint);
  }
  assertNothingStored(repo);
});

test('a configuration that is no text, a folder, too new or missing is refused; status goes on working', async () => {
  const repo = makeExecProject();
  const file = join(repo.path, '.blueflame.yml');
  const cases: readonly (readonly [() => void, RegExp])[] = [
    [() => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x41])), /is not UTF-8 text/],
    [() => writeFileSync(file, 'schema_version: 99\n'), /schema_version 99, but .* up to 2/],
    [() => writeFileSync(file, 'project: [\n'), /\.blueflame\.yml:1:/],
    [
      () => {
        rmSync(file);
        mkdirSync(file);
      },
      /is a folder/,
    ],
  ];
  for (const [spoil, says] of cases) {
    spoil();
    assertRefused(await flame(repo, ['run', 'Anything']), { code: 128, says });
    const status = await flame(repo, ['status']);
    assert.is(status.code, 0);
    const isTooNew = says.test('schema_version 99, but it reads up to 2');
    assert.is(
      /^warning: .*schema_version 99, but .* up to 2\. Commands that change anything are refused/m.test(status.stderr),
      isTooNew,
    );
  }
  rmSync(file, { recursive: true });
  assertRefused(await flame(repo, ['run', 'Anything', '--config', 'other.yml']), {
    code: 128,
    says: /no configuration file .*other\.yml/,
  });
  assertNothingStored(repo);
});

// Plans

const soundTask = { title: 'A task', description: 'true', file_locks: ['src/x.txt'] };

test('PLN-4: a plan file that can’t be carried out is refused with every reason, and nothing is stored', async () => {
  const repo = makeExecProject({ config: { permissions: { allowed_paths: ['src/**'] } } });
  const plan = {
    tasks: [
      { ...soundTask, id: 'a', dependencies: ['c'] },
      { ...soundTask, id: 'b', dependencies: ['a'] },
      { ...soundTask, id: 'c', dependencies: ['b', 'ghost'] },
      { ...soundTask, id: 'd', file_locks: ['docs/x.md', '../up', '/etc/passwd', '.env'] },
      { ...soundTask, id: 'e' },
      { ...soundTask, id: 'e' },
      { ...soundTask, id: 'f', dependencies: ['f'] },
    ],
  };
  repo.write('.git/plan.json', JSON.stringify(plan));
  const run = await flame(repo, ['run', 'Anything', '--from', '.git/plan.json']);
  assertRefused(run, { code: 1, says: 'The plan has' });
  for (const says of [
    /c: depends on ghost, which doesn't exist/,
    /a -> |a → |cycle/,
    /d: file lock docs\/x\.md is not inside allowed_paths/,
    /d: file lock \.\.\/up /,
    /d: file lock \/etc\/passwd /,
    /d: file lock \.env /,
    /e: the id is used 2 times/,
    /f: depends on itself/,
  ])
    assert.match(run.stderr, says);
  assertNothingStored(repo);
});

test('a plan file that is prose, cut off, empty or has bad ids says where; nothing is stored', async () => {
  const repo = makeExecProject();
  const cases: readonly (readonly [string, RegExp])[] = [
    ['I would start with the tests, then refactor.\n', /p\.txt:1:1 {2}the file must be a map of keys, not text/],
    ['{"tasks": [{"id": "a"', /p\.txt:1:/],
    ['', /tasks is missing/],
    ['tasks:\n- {id: 001, title: A, description: x}\n', /p\.txt:2:8 [\s\S]*hint: write it in quotes: "001"/],
    ['tasks:\n- {id: Task_1, title: A, description: x}\n', /p\.txt:2:8 .*lower-case letters, digits and hyphens/],
    ['tasks:\n- {id: a, titel: A, description: x}\n', /did you mean title\?/],
    ['tasks:\n- {id: a, title: "A\\u202eB", description: x}\n', /control or invisible characters/],
  ];
  for (const [text, says] of cases) {
    repo.write('.git/p.txt', text);
    const run = await flame(repo, ['run', 'Anything', '--from', '.git/p.txt']);
    assertRefused(run, { code: 128, says });
  }
  const missing = await flame(repo, ['run', 'Anything', '--from', 'nowhere.yml']);
  assertRefused(missing, { code: 129, says: /nowhere\.yml can't be read: it doesn't exist/ });
  assertNothingStored(repo);
});

test('PLN-4: a bad plan that was approved beforehand is refused, and a better file goes on in its place', async () => {
  const repo = makeExecProject();
  repo.write('.git/bad.yml', 'tasks:\n- {id: a, title: A, description: x, dependencies: [ghost]}\n');
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const bad = await flame(repo, ['run', 'Anything', '--from', '.git/bad.yml', '--decisions-file', decisions]);
  assertRefused(bad, { code: 1, says: /a: depends on ghost/, next: 'git flame plan --from FILE' });
  const waiting = await flame(repo, ['run']);
  assertRefused(waiting, { code: 2, says: /a: depends on ghost/, next: 'git flame plan --from FILE' });
  const better = writePlan(repo, oneTask);
  const planned = await flame(repo, ['plan', '--from', better, '--decisions-file', decisions]);
  assert.is(planned.code, 0, planned.stderr);
  const run = await flame(repo, ['run', '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
});

test('TSK-6: --dry-run checks a plan as the plan itself would, from a file or standard input', async () => {
  const repo = makeExecProject();
  const plan = {
    tasks: [
      { id: 'a', title: 'A', description: 'x', dependencies: ['b'], file_locks: ['src/a'] },
      { id: 'b', title: 'B', description: 'x', dependencies: ['a', 'ghost'] },
    ],
  };
  repo.write('.git/p.json', JSON.stringify(plan));
  for (const command of ['plan', 'run']) {
    const fromFile = await flame(repo, [command, '--dry-run', '--from', '.git/p.json']);
    const fromStdin = await flame(repo, [command, '--dry-run', '--from', '-'], {
      stdin: JSON.stringify(plan),
    });
    for (const run of [fromFile, fromStdin]) {
      assertRefused(run, { code: 1, says: /The plan has 3 mistakes/ });
      for (const says of [/a -> b -> a/, /b: depends on ghost/, /b: has no file_locks/]) assert.match(run.stderr, says);
    }
  }
  const [sound] = plan.tasks;
  const good = await flame(repo, ['plan', '--dry-run', '--from', '-'], {
    stdin: JSON.stringify([{ ...sound, dependencies: [] }]),
  });
  assert.is(good.code, 0, good.stderr);
  assert.match(good.stdout, /Plan: 1 task from standard input\n {2}step 1: a/);
  assertNothingStored(repo);
});

test('a task that is added by options is refused by the names of the options', async () => {
  const repo = makeExecProject();
  const run = await flame(repo, ['task', 'add', 'A\u202eB', '--locks', 'a\tb', '--group', 'No Name']);
  assertRefused(run, { code: 129, says: /The task can't be added: \d mistakes\./ });
  assert.match(run.stderr, /the title .*invisible characters/);
  assert.match(run.stderr, /--locks /);
  assert.match(run.stderr, /--group /);
  assert.not.match(run.stderr, /\[0\]|the options/);
});

test('a plan with extra keys, JSON in a file of any name, or a bare list is accepted', async () => {
  const repo = makeExecProject();
  const task = {
    ...soundTask,
    id: '001',
    description: 'echo x > src/x.txt',
    effort: 'small',
    nested: { a: [1] },
  };
  for (const plan of [{ tasks: [task], summary: 'what a planner adds', version: 3 }, [task]]) {
    repo.write('.git/answer', JSON.stringify(plan));
    const run = await flame(repo, ['run', 'Anything', '--dry-run', '--from', '.git/answer']);
    assert.is(run.code, 0, run.stderr);
    assert.match(run.stdout, /1 task[\s\S]*001/);
  }
});

test('PLN-6: a plan without tasks ends the session gracefully', async () => {
  const repo = makeExecProject();
  repo.write('.git/plan.yml', 'tasks: []\n');
  const run = await flame(repo, ['run', 'Nothing', '--from', '.git/plan.yml']);
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, 'The plan is empty');
  assert.match((await flame(repo, ['status'])).stdout, 'ended');
});

test('a plan of 1,000 tasks is approved in one go, one of 1,001 is refused', async () => {
  const repo = makeExecProject();
  const task = (index: number): object => ({
    ...soundTask,
    id: `t-${index}`,
    file_locks: [`src/${index}.txt`],
  });
  const tasks = Array.from({ length: 1_000 }, (_, index) => task(index));
  repo.write('.git/plan.json', JSON.stringify({ tasks }));
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['plan', 'Much', '--from', '.git/plan.json', '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  const status = (await flameJson(repo, ['status'])).lines[0];
  assert.is(Object.keys(status?.tasks ?? {}).length, 1_000);
  repo.write('.git/plan.json', JSON.stringify({ tasks: [...tasks, task(1_000)] }));
  const refused = await flame(repo, ['plan', 'More', '--new', '--from', '.git/plan.json']);
  assertRefused(refused, { code: 128, says: /holds more than 1,000 tasks: split it into several plans/ });
});

test('a decisions file with mistakes names the list, the place and what an entry may be', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, oneTask);
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      'plan: [aprove]\n',
      /:1:8 {2}plan\[0\] is not a decision of this list[\s\S]*approve, quit, \{edit: file\} or \{replan: notes\}/,
    ],
    ['plans: [approve]\n', /did you mean plan\?/],
    ['changesets: [{reject: ""}]\n', /changesets\[0\]/],
    ['budget: [{raise: -1}]\n', /budget\[0\]/],
    ['approve\n', /must be a map of keys/],
  ];
  for (const [text, says] of cases) {
    repo.write('.git/d.yml', text);
    const run = await flame(repo, ['run', 'Anything', '--from', plan, '--decisions-file', '.git/d.yml']);
    assertRefused(run, { code: 128, says });
  }
  const missing = await flame(repo, ['run', 'Anything', '--from', plan, '--decisions-file', 'gone.yml']);
  assertRefused(missing, { code: 129, says: /gone\.yml can't be read/ });
  assertNothingStored(repo);
});

// Repositories

test('outside a repository every command ends with 128', async () => {
  const repo = openRepo(makeTempDir());
  for (const argv of [['status'], ['run', 'x'], ['init'], ['log'], ['review'], ['config'], ['policy', 'check']])
    assertRefused(await flame(repo, argv), {
      code: 128,
      says: 'is not in a git repository',
      next: 'git init',
    });
});

test('a folder that is gone is named by every command', async () => {
  const repo = makeRepo();
  const leave = 'mkdir gone && cd gone && rmdir "$PWD" && exec "$0" "$@"';
  const command = ['sh', '-c', leave, join(programFolder, 'git-flame')];
  for (const argv of [['status'], ['run', 'x']])
    assertRefused(await runProgram(repo, argv, { command }), {
      code: 128,
      says: `The folder ${repo.path}/gone does not exist.`,
      next: 'cd "$HOME"',
    });
});

test('an unborn HEAD: read-only commands work, work needs a first commit, and then it goes', async () => {
  const repo = openRepo(makeTempDir());
  repo.git('init', '-q', '-b', 'main');
  repo.write('.blueflame.yml', execConfig());
  trusted(repo);
  assert.is((await flame(repo, ['status'])).code, 0);
  assert.is((await flame(repo, ['init'])).code, 0);
  const plan = writePlan(repo, [{ id: 'a', script: 'mkdir src; echo 1 > src/x', locks: ['src/x'] }]);
  const run = await flame(repo, ['run', 'x', '--from', plan]);
  assertRefused(run, {
    code: 128,
    says: 'has no commit yet',
    next: 'git commit --allow-empty -m "initial commit"',
  });
  repo.git('commit', '--allow-empty', '-q', '-m', 'initial commit');
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const again = await flame(repo, ['run', 'x', '--from', plan, '--decisions-file', decisions]);
  assert.is(again.code, 0, again.stderr);
  assert.is(repo.git('show', 'main:src/x'), '1');
});

test('a bare repository can be looked at, not worked in', async () => {
  const source = makeExecProject();
  const folder = join(makeTempDir(), 'bare.git');
  source.git('clone', '-q', '--bare', '.', folder);
  const repo = openRepo(folder);
  assert.is((await flame(repo, ['status'])).code, 0);
  assert.is((await flame(repo, ['log'])).code, 0);
  for (const argv of [['run', 'x'], ['init'], ['plan', 'x']])
    assertRefused(await flame(repo, argv), { code: 128, says: 'is a bare repository', next: 'git clone' });
  // Where work trees of it are there, one of them is the place to go to.
  const linked = join(dirname(folder), 'a tree');
  repo.git('worktree', 'add', '-q', linked, 'main');
  assertRefused(await flame(repo, ['run', 'x']), {
    code: 128,
    says: 'is a bare repository',
    next: `cd '${linked}'`,
  });
});

test('a detached HEAD needs a base branch in the configuration; with one it works and HEAD stays', async () => {
  const repo = makeExecProject({ config: { project: { name: 'sample' } } });
  repo.git('checkout', '-q', '--detach');
  const plan = writePlan(repo, oneTask);
  const refused = await flame(repo, ['run', 'x', '--from', plan]);
  assertRefused(refused, { code: 128, says: 'HEAD is detached', next: 'git switch <branch>' });
  assertNothingStored(repo);
  repo.write(
    '.blueflame.yml',
    readFileSync(join(repo.path, '.blueflame.yml'), 'utf8').replace('sample', 'sample\n  base_branch: main'),
  );
  const head = repo.commit('beside main');
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'x', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, /HEAD of .* is detached at [0-9a-f]{10}, which is not in main\. Agents start/);
  assert.is(repo.git('rev-parse', 'HEAD'), head);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
});

test('a base branch that does not exist is refused', async () => {
  const repo = makeExecProject({ config: { project: { base_branch: 'trunk' } } });
  const run = await flame(repo, ['run', 'x', '--from', writePlan(repo, oneTask)]);
  assertRefused(run, { code: 128, says: 'The base branch trunk does not exist', next: 'git branch trunk' });
  assert.match(run.stderr, /next: Or name another in \.blueflame\.yml: project: \{ base_branch: main \}$/m);
  assertNothingStored(repo);
});

test('MRG-5: a dirty tree is refused at the start and at the landing, and nothing of it is lost', async () => {
  const fresh = makeExecProject();
  fresh.write('src/a.txt', 'my own change\n');
  const early = await flame(fresh, ['run', 'x', '--from', writePlan(fresh, oneTask)]);
  assertRefused(early, { code: 1, says: 'has local changes', next: 'git -C' });
  assert.match(early.stderr, 'src/a.txt');
  assertNothingStored(fresh);
  const repo = await makeWaiting();
  const before = repo.git('rev-parse', 'main');
  repo.write('src/a.txt', 'my own change\n');
  repo.write('notes.txt', 'untracked\n');
  const late = await flame(repo, ['review', '--changeset', 'one', '--approve']);
  assertRefused(late, {
    code: 1,
    says: 'with local changes, so nothing was landed',
    next: 'git flame review',
  });
  assert.is(repo.git('rev-parse', 'main'), before);
  assert.is(readFileSync(join(repo.path, 'src/a.txt'), 'utf8'), 'my own change\n');
  repo.git('stash', '-q');
  const landed = await flame(repo, ['review']);
  assert.is(landed.code, 0, landed.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
  repo.git('stash', 'pop', '-q');
  assert.is(readFileSync(join(repo.path, 'src/a.txt'), 'utf8'), 'my own change\n');
  assert.is(readFileSync(join(repo.path, 'notes.txt'), 'utf8'), 'untracked\n');
});

test('an untracked file where a landing would write is kept, and the landing refused', async () => {
  const repo = await makeWaiting();
  repo.write('src/one.txt', 'mine\n');
  const run = await flame(repo, ['review', '--changeset', 'one', '--approve']);
  assertRefused(run, { code: 1, says: 'src/one.txt', next: 'git flame review' });
  assert.is(readFileSync(join(repo.path, 'src/one.txt'), 'utf8'), 'mine\n');
  rmSync(join(repo.path, 'src/one.txt'));
  const landed = await flame(repo, ['review']);
  assert.is(landed.code, 0, landed.stderr);
  assert.is(readFileSync(join(repo.path, 'src/one.txt'), 'utf8'), 'one\n');
});

const meanwhile: Readonly<Record<string, (repo: TestRepo) => void>> = {
  rewritten: (repo) => repo.git('commit', '-q', '--amend', '-m', 'rewritten'),
  moved: (repo) => {
    repo.write('other.txt', 'moved\n');
    repo.commit('somebody else was here');
  },
};

for (const [how, change] of Object.entries(meanwhile))
  test(`a base that was ${how} meanwhile: the landing is refused, built again, and nothing of it is undone`, async () => {
    const repo = await makeWaiting();
    change(repo);
    const own = repo.git('rev-parse', 'main');
    const refused = await flame(repo, ['review', '--changeset', 'one', '--approve']);
    assert.is(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /main moved from/);
    assert.is(repo.git('rev-parse', 'main'), own);
    const again = await flame(repo, ['run', '--decisions-file', writeDecisions(repo, { changesets: ['approve'] })]);
    assert.is(again.code, 0, again.stderr);
    assert.is(repo.git('rev-parse', 'main^1'), own);
    assert.is(repo.git('show', 'main:src/one.txt'), 'one');
  });

// Programs

const fakeGit = (version: string): string => `#!/bin/sh\necho 'git version ${version}'\n`;

test('a missing or too old git is named, with what to do', async () => {
  const repo = makeExecProject();
  const folder = makeTempDir();
  const run = await flame(repo, ['status'], { env: { PATH: folder } });
  assert.is(run.code, 128, run.stderr);
  assertRefused(run, { code: 128, says: 'git could not be started', next: 'git 2.38 or newer' });
  program(folder, 'git', fakeGit('2.30.2'));
  const old = await flame(repo, ['run', 'x'], { env: { PATH: `${folder}:${repo.env.PATH}` } });
  assertRefused(old, { code: 128, says: /git 2\.30\.2 is too old: git 2\.38 or newer/, next: 'git version' });
});

test('PLN-1: a missing, too old or broken claude is named before anything is stored', async () => {
  const repo = makeExecProject({ config: { roles: {} } });
  const folder = makeTempDir();
  const path = `${folder}:/usr/bin:/bin`;
  const missing = await flame(repo, ['run', 'x'], { env: { PATH: path } });
  assertRefused(missing, { code: 128, says: 'claude was not found', next: 'npm install' });
  for (const [script, says] of [
    ["#!/bin/sh\necho '1.0.44 (Claude Code)'\n", /1\.0\.44/],
    ['#!/bin/sh\necho surprise\n', /claude/],
    ['#!/bin/sh\nexit 3\n', /claude/],
    ['#!/nonexistent/interpreter\n', /claude/],
  ] as const) {
    program(folder, 'claude', script);
    assertRefused(await flame(repo, ['run', 'x'], { env: { PATH: path } }), { code: 128, says });
  }
  assertNothingStored(repo);
});

// State on refs

test('STA-7: corrupt and foreign notes are named with ref and object; nothing is reset', async () => {
  const repo = await makeWaiting();
  const before = repo.git('rev-parse', 'refs/blueflame/tasks');
  const key = repo
    .git('ls-tree', '-r', '--name-only', 'refs/blueflame/tasks')
    .split('\n')
    .find((name) => /^[0-9a-f]{2}\//.test(name));
  assert.ok(key);
  const broken = spoilNote(repo, key, '{"v": 1, "id": "task-001", "status": "dancing"');
  for (const argv of [['status'], ['run'], ['review'], ['work']]) {
    const run = await flame(repo, argv);
    assert.is(run.code, argv[0] === 'status' ? 0 : 128, `${argv.join(' ')}: ${run.stdout}${run.stderr}`);
    assert.match(run.stderr, 'refs/blueflame/tasks');
    assert.match(run.stderr, broken.slice(0, 10));
    assert.is(/unexpected error|\n\s+at /i.test(run.stderr), false, run.stderr);
  }
  repo.git('update-ref', 'refs/blueflame/tasks', before);
  const run = await flame(repo, ['review', '--changeset', 'one', '--approve']);
  assert.is(run.code, 0, run.stderr);
});

test('STA-7: a ref of somebody else below refs/blueflame is left alone', async () => {
  const repo = makeExecProject();
  const foreign = repo.git('rev-parse', 'HEAD');
  repo.git('update-ref', 'refs/blueflame/something-else', foreign);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'x', '--from', writePlan(repo, oneTask), '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('rev-parse', 'refs/blueflame/something-else'), foreign);
});

test('a path with spaces, quotes, a newline and non-ASCII letters: single commands from a subfolder', async () => {
  const repo = makeExecProject({ name: 'it\'s "a"\n$(tést) 日本' });
  const plan = writePlan(repo, oneTask);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const cwd = join(repo.path, 'src');
  for (const argv of [['init'], ['plan', 'x', '--from', `../${plan}`], ['work'], ['validate'], ['merge'], ['review']]) {
    const run = await flame(repo, [...argv, '--decisions-file', `../${decisions}`], { cwd });
    assert.is(run.code, 0, `${argv[0]}: ${run.stderr}`);
  }
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
});

test('files with odd names in the repository are no obstacle', async () => {
  const repo = makeExecProject();
  for (const name of ['new\nline', 'tab\tx', 'q"uote', "it's", 'ünïcödé', '-dash', 'star*', 'back\\slash', ' '])
    repo.write(`odd/${name}`, `${name}\n`);
  repo.commit('odd names');
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'x', '--from', writePlan(repo, oneTask), '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('status', '--porcelain'), '');
});

function assertNothingStored(repo: TestRepo): void {
  assert.is(repo.git('for-each-ref', 'refs/blueflame', 'refs/heads/blueflame'), '');
  assert.is(existsSync(join(`${repo.path}.trees`, 'worker')), false);
}

function program(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** Replaces one note of the tasks' tree; returns the new blob. */
function spoilNote(repo: TestRepo, key: string, text: string): string {
  repo.write('.git/spoilt', text);
  const blob = repo.git('hash-object', '-w', '.git/spoilt');
  const env = { ...repo.env, GIT_INDEX_FILE: join(repo.path, '.git', 'spoil-index') };
  const other = openRepo(repo.path, env);
  other.git('read-tree', 'refs/blueflame/tasks');
  other.git('update-index', '--add', '--cacheinfo', `100644,${blob},${key}`);
  const commit = other.git('commit-tree', '-p', 'refs/blueflame/tasks', '-m', 'spoilt', other.git('write-tree'));
  repo.git('update-ref', 'refs/blueflame/tasks', commit);
  return blob;
}

test.run();
