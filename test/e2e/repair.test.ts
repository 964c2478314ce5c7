import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { programFolder, runProgram } from '../support/program.ts';
import { assertRefused } from '../support/refusal.ts';
import { copyRepo, type TestRepo } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { editByHand, noteAt } from '../support/state-by-hand.ts';

// What is wrong on the state refs, through the real program: named, mended without loss, and the rest goes on.

const ref = 'refs/blueflame/tasks';

interface Planned {
  readonly repo: TestRepo;
  readonly session: string;
  /** `status --json` as it was before anything broke. */
  readonly status: string;
}

let template: Promise<Planned> | undefined;

/** A session whose two tasks are planned; each test has a copy of its own. */
async function plan(): Promise<Planned> {
  template ??= makePlanned();
  const { repo, ...rest } = await template;
  return { ...rest, repo: copyRepo(repo) };
}

async function makePlanned(): Promise<Planned> {
  const repo = makeExecProject();
  const tasks = ['task-001', 'task-002'].map((id) => ({ id, script: `echo > ${id}`, locks: [id] }));
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const planned = await runProgram(repo, [
    ...['plan', 'Try', '--from', writePlan(repo, tasks), '--decisions-file', decisions],
  ]);
  assert.is(planned.code, 0, planned.stderr);
  const { stdout } = await runProgram(repo, ['status', '--json']);
  return { repo, session: JSON.parse(stdout).session.id, status: stdout };
}

for (const [name, breakIt, said, kept] of [
  ['a blob', (repo: TestRepo) => point(repo, repo.git('hash-object', '-w', 'README.md')), /is a blob/, 'blob'],
  ['a commit of a foreign tree', (repo: TestRepo) => point(repo, 'HEAD'), /does not hold notes/, 'commit'],
  ['an id of nothing', (repo: TestRepo) => write(repo, '1'.repeat(40)), /1{40} is not an object/, null],
  ['no id at all', (repo: TestRepo) => write(repo, 'garbage'), /garbage is not an object/, null],
  ['half a tree', (repo: TestRepo) => loseFolder(repo), /is missing/, 'commit'],
] as const) {
  test(`STA-7 a state ref that holds ${name}: named with its object, brought back, and what it held is kept`, async () => {
    // One of them as a process of its own, the others in this one: a start-up costs more than the repair.
    const run = name === 'a blob' ? runProgram : flame;
    const { repo, status } = await plan();
    breakIt(repo);
    const held = existsSync(join(repo.path, '.git', ref)) ? readFileSync(join(repo.path, '.git', ref), 'utf8') : '';
    const stopped = await run(repo, ['status']);
    assert.is(stopped.code, 128);
    assert.match(stopped.stderr, said);
    assert.match(stopped.stderr, new RegExp(`^error: ${ref} can't be used`));
    assert.match(stopped.stderr, /next: git flame doctor$/m);
    if (name === 'a blob') {
      const told = await run(repo, ['doctor', '--repair', '--dry-run', '--json']);
      assert.match(told.stdout, /It can be repaired/);
      assert.is(repo.git('rev-parse', ref), held.trim(), 'a dry run mends nothing');
    }
    const mended = await run(repo, ['doctor', '--repair', '--json']);
    assert.is(mended.code, 0, mended.stdout);
    const { repairs, findings } = JSON.parse(mended.stdout);
    assert.equal(
      repairs.map(({ ref: where, done }: { ref: string; done: boolean }) => `${where} ${done}`),
      [`${ref} true`],
    );
    assert.ok(findings.some(({ check, result }: Record<string, string>) => check === 'refs' && result === 'proven'));
    assert.is((await run(repo, ['status', '--json'])).stdout, status);
    const backup = 'refs/blueflame-backup/tasks/1';
    if (kept === null) assert.is(repo.git('for-each-ref', 'refs/blueflame-backup'), '');
    else assert.equal([repo.git('cat-file', '-t', backup), repo.git('rev-parse', backup)], [kept, held.trim()]);
  });
}

test('STA-7 a state ref without any history here comes back from the copy of a remote; without one it is said', async () => {
  const { repo, status } = await plan();
  const good = repo.git('rev-parse', ref);
  rmSync(join(repo.path, '.git/logs', ref));
  point(repo, repo.git('hash-object', '-w', 'README.md'));
  const first = JSON.parse((await flame(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.is(first.repairs[0]?.done, false);
  assert.match(first.repairs[0]?.message, /Neither its reflog nor a remote's copy/);
  repo.git('update-ref', 'refs/blueflame-remotes/origin/tasks', good);
  const then = JSON.parse((await flame(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.match(then.repairs[0]?.message, 'the state of refs/blueflame-remotes/origin/tasks');
  assert.is((await flame(repo, ['status', '--json'])).stdout, status);
});

test('STA-7 a note that is no JSON stops nothing but its task, and goes back to its last readable version', async () => {
  const { repo, session, status } = await plan();
  const path = noteAt(repo, ref, `${session}/task-001`);
  const bad = editByHand(repo, ref, path, 'status: done\n');
  const blob = repo.git('rev-parse', `${bad}:${path}`);
  const shown = await flame(repo, ['status']);
  assert.is(shown.code, 0);
  assert.match(shown.stderr, new RegExp(`${ref} ${blob}: is not JSON`));
  assert.match(shown.stdout, 'task-002');
  const mended = JSON.parse((await flame(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.match(mended.repairs[0]?.message, new RegExp(`object ${blob} is not JSON, and stays in the history`));
  assert.is((await flame(repo, ['status', '--json'])).stdout, status);
  assert.is(repo.git('rev-parse', `${ref}^`), bad);
  assert.match(
    repo.git('log', '-1', '--format=%s|%(trailers:key=Actor,valueonly)', ref),
    'doctor: 1 note restored|git flame doctor',
  );
});

test('STA-7 a note of a newer version is left alone and named; the other task goes on', async () => {
  const { repo, session } = await plan();
  const path = noteAt(repo, ref, `${session}/task-001`);
  const text = repo.git('show', `${ref}:${path}`).replace('"v": 1', '"v": 2');
  const tip = editByHand(repo, ref, path, text);
  const mended = JSON.parse((await flame(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.is(mended.repairs[0]?.done, false);
  assert.match(
    mended.findings.find(({ check }: { check: string }) => check === 'note')?.message,
    /newer git-flame \(v 2/,
  );
  assert.is(repo.git('rev-parse', ref), tip);
  assert.match((await flame(repo, ['show', 'task-002'])).stdout, 'task-002');
});

test('STA-7 a half-written fan-out, one task filed twice, is told and made one again', async () => {
  const { repo, session, status } = await plan();
  const path = noteAt(repo, ref, `${session}/task-001`);
  const older = JSON.parse(repo.git('show', `${ref}:${path}`));
  const flat = `${JSON.stringify({ ...older, rev: 0, title: 'Older' }, null, 2)}\n`;
  editByHand(repo, ref, path.replace('/', ''), flat);
  assert.match((await flame(repo, ['status'])).stderr, /is one of several notes on/);
  const mended = JSON.parse((await flame(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.is(mended.repairs[0]?.done, true, mended.repairs[0]?.message);
  assert.is((await flame(repo, ['status', '--json'])).stdout, status);
  assert.is(repo.git('ls-tree', '-r', '--name-only', ref).split('\n').includes(path.replace('/', '')), false);
});

test('STA-7 a lock of a git that is gone is named and removed once it is old; a young one stays', async () => {
  const { repo, status } = await plan();
  const lock = join(repo.path, '.git', `${ref}.lock`);
  writeFileSync(lock, '');
  const young = JSON.parse((await runProgram(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.match(young.repairs[0]?.message, `${lock} stays: it is younger than a minute`);
  assert.ok(existsSync(lock));
  const old = new Date(Date.now() - 120_000);
  utimesSync(lock, old, old);
  const stopped = await runProgram(repo, ['task', 'drop', 'task-001', '--reason', 'not wanted']);
  assert.is(stopped.code, 128);
  assert.match(stopped.stderr, new RegExp(`${ref} is locked by .*tasks.lock`));
  const found = JSON.parse((await runProgram(repo, ['doctor', '--repair', '--dry-run', '--json'])).stdout);
  assert.ok(existsSync(lock));
  assert.match(found.findings.find(({ check }: { check: string }) => check === 'lock')?.message, lock);
  const mended = JSON.parse((await runProgram(repo, ['doctor', '--repair', '--json'])).stdout);
  assert.match(mended.repairs[0]?.message, 'was removed');
  assert.is(existsSync(lock), false);
  assert.is((await runProgram(repo, ['status', '--json'])).stdout, status);
  assert.is((await runProgram(repo, ['task', 'drop', 'task-001', '--reason', 'not wanted'])).code, 0);
});

testIf(
  test,
  hasBubblewrap(),
  'a read-only repository: needs bubblewrap',
)('STA-7 in a read-only repository what reads works, what writes says why in one sentence', async () => {
  const { repo, status } = await plan();
  const command = [
    ...['bwrap', '--dev-bind', '/', '/', '--ro-bind', repo.path, repo.path, '--chdir', repo.path],
    join(programFolder, 'git-flame'),
  ];
  const run = (...argv: string[]) => runProgram(repo, argv, { command });
  assert.is((await run('status', '--json')).stdout, status);
  for (const argv of [['run'], ['task', 'drop', 'task-001', '--reason', 'x'], ['cleanup', '--yes']]) {
    const refused = await run(...argv);
    assert.is(refused.code, 128, refused.stderr);
    assert.match(refused.stderr, /can't be written|read-only|Read-only/);
    assert.not.match(refused.stderr, /[Uu]nexpected error/);
  }
  const doctor = await run('doctor', '--json');
  assert.is(doctor.code, 1, doctor.stderr);
  assert.match(doctor.stdout, /"check":"writable"/);
});

function point(repo: TestRepo, to: string): void {
  // As if by hand: no reflog entry leads back from it.
  write(repo, repo.git('rev-parse', to));
}

function write(repo: TestRepo, text: string): void {
  writeFileSync(join(repo.path, '.git', ref), `${text}\n`);
}

/** The newest commit lacks a folder of notes, as after a crash without fsync. */
function loseFolder(repo: TestRepo): void {
  const folders = repo.git('ls-tree', '--name-only', ref).split('\n');
  const folder = folders.find((name) => /^[0-9a-f]{2}$/.test(name)) ?? '';
  const commit = editByHand(repo, ref, `${folder}/${'0'.repeat(38)}`, 'lost');
  const lost = repo.git('rev-parse', `${commit}^{tree}:${folder}`);
  rmSync(join(repo.path, '.git/objects', lost.slice(0, 2), lost.slice(2)));
}

for (const [name, damage] of [
  ['is gone', null],
  ['lies at a path that was cut short', 'cut'],
] as const) {
  test(`STA-7 a task whose note ${name} is named, stops work, and comes back from the history`, async () => {
    const { repo, status } = await plan();
    const { session } = JSON.parse(status);
    const path = noteAt(repo, ref, `${session.id}/task-001`);
    const text = repo.git('show', `${ref}:${path}`);
    editByHand(repo, ref, path, null);
    if (damage !== null) editByHand(repo, ref, path.slice(0, -3), text);
    const told = await flame(repo, ['status']);
    assert.match(told.stderr, new RegExp(`is the anchor of ${session.id}/task-001, whose note is missing`));
    const stopped = await flame(repo, ['work']);
    assert.is(stopped.code, 128, stopped.stderr);
    assert.match(stopped.stderr, /The stored state of task-001 can't be read/);
    assert.match(stopped.stderr, /next: git flame doctor --repair$/m);
    const mended = JSON.parse((await flame(repo, ['doctor', '--repair', '--json'])).stdout);
    assert.equal(
      mended.repairs.map(({ done }: { done: boolean }) => done),
      [true],
    );
    assert.is((await flame(repo, ['status', '--json'])).stdout, status);
  });
}

test("STA-7 what cannot be read is not passed on: neither forward nor after a merge, but by the person's word", async () => {
  const { repo, session } = await plan();
  const remote = join(repo.path, '..', 'remote.git');
  repo.git('init', '-q', '--bare', remote);
  repo.git('remote', 'add', 'origin', remote);
  const tipThere = (): string => repo.git('ls-remote', remote, ref).split('\t')[0] ?? '';
  assert.is((await flame(repo, ['sync'])).code, 0);
  const sound = tipThere();
  editByHand(repo, ref, noteAt(repo, ref, `${session}/task-001`), '{"v": 1, "half');
  const dry = await flame(repo, ['sync', '--dry-run']);
  assert.match(dry.stderr, /refs\/blueflame\/tasks [0-9a-f]{40} .*to repair it: git flame doctor --repair/);
  const refused = await flame(repo, ['sync']);
  assertRefused(refused, { code: 1, says: /Nothing was sent to origin/, next: 'git flame doctor --repair' });
  assert.is(tipThere(), sound);
  const told = await flame(repo, ['sync', '--damaged']);
  assert.is(told.code, 0, told.stderr);
  assert.is(tipThere(), repo.git('rev-parse', ref));
  // The remote has it now: it is nothing that is passed on anew.
  repo.git('commit', '-q', '--allow-empty', '-m', 'later');
  editByHand(repo, ref, 'a/note-of-nobody', 'kept as it is');
  assert.is((await flame(repo, ['sync'])).code, 0);
  assert.is((await flame(repo, ['doctor', '--repair'])).code, 0);
  assert.is((await flame(repo, ['sync'])).code, 0);
  assert.is(tipThere(), repo.git('rev-parse', ref));
});

test.run();
