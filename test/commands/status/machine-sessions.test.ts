import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MachineSessionsView } from '../../../lib/domain/view-models/machine-sessions-view.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson } from '../../support/flame.ts';
import { hermeticEnv, makeRepo, makeTempDir, openRepo, type TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

/** A person of their own, whose machine knows no clone yet. */
function newPerson(): Readonly<Record<string, string>> {
  return { ...hermeticEnv, XDG_STATE_HOME: makeTempDir('flame-state') };
}

/** A repository in which this person has a session with one task. */
async function withSession(env: Readonly<Record<string, string>>, title = 'One'): Promise<TestRepo> {
  const repo = openRepo(makeExecProject().path, env);
  const added = await flame(repo, ['task', 'add', title, '--locks', 'a.txt', '--description', 'echo a > a.txt']);
  assert.is(added.code, 0, added.stderr);
  return repo;
}

async function listAll(env: Readonly<Record<string, string>>, more = {}): Promise<MachineSessionsView> {
  const { code, stderr, lines } = await flameJson(openRepo(makeTempDir(), env), ['status', '--all'], { env: more });
  assert.is(code, 0, stderr);
  assert.is(stderr, '');
  return lines[0] as unknown as MachineSessionsView;
}

test('CLI-4 status --all without a session anywhere says so outside a repository, with the first command', async () => {
  const run = await flame(openRepo(makeTempDir(), newPerson()), ['status', '--all']);
  assert.is(run.code, 0, run.stderr);
  assert.is(
    run.stdout,
    "No session is open on this machine.\nnext: cd REPOSITORY && git flame run 'What you want done'\n",
  );
  assert.equal(await listAll(newPerson()), { schema_version: 1, sessions: [], ended: [], unreadable: [] });
});

test('CLI-4 what waits comes first and the oldest of it before others; each command works from any folder', async () => {
  const env = newPerson();
  const paused = await withSession(env);
  const planned = openRepo(makeExecProject().path, env);
  const plan = writePlan(planned, [{ id: 'one', script: 'true', locks: ['b.txt'] }]);
  assert.is((await flame(planned, ['plan', 'Plan it', '--from', plan])).code, 2);
  const { sessions, unreadable } = await listAll(env, { GIT_DIR: join(paused.path, '.git') });
  assert.equal(unreadable, []);
  assert.equal(
    sessions.map(({ repository, title, standing, waits, next }) => ({ repository, title, standing, waits, next })),
    [
      {
        repository: planned.path,
        title: 'Plan it',
        standing: 'waits',
        waits: ['the plan: 1 task to approve'],
        next: `cd ${planned.path} && git flame plan`,
      },
      {
        repository: paused.path,
        title: 'One',
        standing: 'paused',
        waits: [],
        next: `cd ${paused.path} && git flame work`,
      },
    ],
  );
});

test('CLI-4 a session that is not the current one is named in its command', async () => {
  const env = newPerson();
  const repo = await withSession(env, 'Older');
  const plan = writePlan(repo, [{ id: 'one', script: 'true', locks: ['b.txt'] }]);
  assert.is((await flame(repo, ['plan', 'Newer', '--new', '--from', plan])).code, 2);
  const { sessions } = await listAll(env);
  assert.equal(
    sessions.map(({ title, next, id }) => `${title}: ${next.replace(id, 'ID')}`),
    [`Newer: cd ${repo.path} && git flame plan`, `Older: cd ${repo.path} && git flame run --session ID`],
  );
});

test('CLI-4 a clone that is gone, damaged, or has notes of a newer version is named and hides no other', async () => {
  const env = newPerson();
  const sound = await withSession(env);
  const [gone, damaged, newer] = [await withSession(env), await withSession(env), await withSession(env)];
  rmSync(gone.path, { recursive: true });
  rmSync(join(damaged.path, '.git', 'objects'), { recursive: true });
  writeNewerSession(newer);
  writeFileSync(join(env.XDG_STATE_HOME ?? '', 'git-flame', 'clones', 'file'), 'no folder');
  const { sessions, unreadable } = await listAll(env);
  assert.equal(
    sessions.map(({ repository }) => repository),
    [sound.path],
  );
  const reasons = new Map(unreadable.map(({ repository, code, message }) => [repository, `${code}: ${message}`]));
  assert.is(reasons.size, 3);
  assert.match(reasons.get(gone.path) ?? '', /^no-such-folder: It is not there/);
  const forget = unreadable.find(({ repository }) => repository === gone.path)?.hints[0] ?? '';
  execFileSync('sh', ['-c', forget]);
  assert.is(
    (await listAll(env)).unreadable.some(({ repository }) => repository === gone.path),
    false,
  );
  assert.match(reasons.get(damaged.path) ?? '', /^not-a-repository: git finds no repository there/);
  assert.match(reasons.get(newer.path) ?? '', /^note-unusable: .*written by a newer git-flame/);
});

for (const name of ['HEAD', 'packed-refs', '.blueflame.yml'])
  test(`CLI-4 a pipe in the place of ${name} holds neither the list nor what reads it`, async () => {
    const env = newPerson();
    const [sound, held] = [await withSession(env), await withSession(env)];
    const path = join(held.path, name.startsWith('.') ? '' : '.git', name);
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
    const { sessions, unreadable } = await listAll(env);
    const isGitHeld = !name.startsWith('.');
    assert.equal(
      sessions.map(({ repository }) => repository).sort(),
      (isGitHeld ? [sound.path] : [sound.path, held.path]).sort(),
    );
    assert.equal(
      unreadable.map(({ repository }) => repository),
      isGitHeld ? [held.path] : [],
    );
  });

function sessionNote(repo: TestRepo): { readonly blob: string; readonly path: string } {
  const notes = repo.git('ls-tree', '-r', 'refs/blueflame/sessions').split('\n');
  const [, , blob = '', path = ''] = notes.find((line) => !line.includes('anchors/'))?.split(/\s/) ?? [];
  return { blob, path };
}

function writeNewerSession(repo: TestRepo): void {
  const ref = 'refs/blueflame/sessions';
  const { blob, path } = sessionNote(repo);
  const file = join(makeTempDir(), 'note');
  writeFileSync(file, repo.git('cat-file', 'blob', blob).replace('"v": 1', '"v": 2'));
  const index = openRepo(repo.path, { ...repo.env, GIT_INDEX_FILE: join(dirname(file), 'index') });
  index.git('read-tree', ref);
  index.git('update-index', '--cacheinfo', `100644,${repo.git('hash-object', '-w', file)},${path}`);
  repo.git('update-ref', ref, repo.git('commit-tree', index.git('write-tree'), '-p', ref, '-m', 'newer'));
}

test('CLI-4 a damaged clone is not taken for the repository around it', async () => {
  const env = newPerson();
  const outer = await withSession(env, 'Outer');
  const inner = openRepo(join(outer.path, 'inner'), env);
  renameSync((await withSession(env, 'Inner')).path, inner.path);
  assert.is((await flame(inner, ['status'])).code, 0);
  rmSync(join(inner.path, '.git', 'HEAD'));
  const { sessions, unreadable } = await listAll(env);
  assert.equal(
    sessions.map(({ title }) => title),
    ['Outer'],
  );
  assert.equal(
    unreadable.map(({ repository }) => repository),
    [inner.path],
  );
});

test('CLI-4 a repository whose git folder lies elsewhere is listed by its work tree, where its command works', async () => {
  const env = newPerson();
  const repo = openRepo(makeExecProject().path, env);
  repo.git('init', '-q', '--separate-git-dir', join(makeTempDir(), 'apart'), '.');
  assert.is((await flame(repo, ['task', 'add', 'One', '--locks', 'a.txt'])).code, 0);
  const [found] = (await listAll(env)).sessions;
  assert.is(found?.next, `cd ${repo.path} && git flame work`);
});

test('CLI-4 a moved clone is listed where it is now, once a command ran there', async () => {
  const env = newPerson();
  const before = await withSession(env);
  const moved = openRepo(join(dirname(before.path), 'moved'), env);
  renameSync(before.path, moved.path);
  assert.is((await listAll(env)).unreadable[0]?.repository, before.path);
  assert.is((await flame(moved, ['status'])).code, 0);
  const { sessions, unreadable } = await listAll(env);
  assert.equal(unreadable, []);
  assert.is(sessions[0]?.repository, moved.path);
});

test('CLI-4 a clone that only received a session is listed, a demo that was thrown away is not', async () => {
  const env = newPerson();
  const [from, to] = [await withSession(env), openRepo(makeExecProject().path, env)];
  for (const repo of [from, to]) repo.git('remote', 'add', 'origin', makeBare(env));
  assert.is((await flame(from, ['sync'])).code, 0);
  to.git('remote', 'set-url', 'origin', from.git('remote', 'get-url', 'origin'));
  assert.is((await flame(to, ['sync'])).code, 0);
  await flame(to, ['demo'], { cwd: makeTempDir() });
  const { sessions, unreadable } = await listAll(env);
  assert.equal(unreadable, []);
  const received = sessions.find(({ repository }) => repository === to.path);
  assert.equal(received?.waits, ['decided in another clone, to accept here: the session']);
  assert.is(sessions.length, 2);
});

function makeBare(env: Readonly<Record<string, string>>): string {
  const path = makeTempDir();
  openRepo(path, env).git('init', '-q', '--bare');
  return path;
}

testIf(
  test,
  process.getuid?.() === 0,
  'it takes root to give a file away',
)("CLI-4 another user's repository is not read, and git's own command for it is shown", async () => {
  const env = newPerson();
  const repo = await withSession(env);
  for (const path of [repo.path, join(repo.path, '.git')]) chownSync(path, 4321, 4321);
  const { sessions, unreadable } = await listAll(env);
  assert.equal(sessions, []);
  assert.is(unreadable[0]?.code, 'dubious-ownership');
  assert.equal(unreadable[0]?.hints, [`git config --global --add safe.directory ${repo.path}`]);
});

test('SAF-1 status --all runs nothing that a repository configures, and fetches nothing', async () => {
  const env = newPerson();
  const repo = await withSession(env);
  const ran = join(makeTempDir(), 'ran');
  const touch = join(makeTempDir(), 'touch.sh');
  writeFileSync(touch, `#!/bin/sh\necho "$0" >> ${ran}\n`, { mode: 0o755 });
  for (const [key, value] of Object.entries({
    'core.fsmonitor': touch,
    'core.hooksPath': dirname(touch),
    'core.pager': touch,
    'diff.external': touch,
    'filter.x.clean': touch,
    'protocol.ext.allow': 'always',
    'remote.origin.url': `ext::${touch}`,
    'remote.origin.promisor': 'true',
    'extensions.partialClone': 'origin',
    'core.repositoryFormatVersion': '1',
  }))
    repo.git('config', key, value);
  const { blob } = sessionNote(repo);
  rmSync(join(repo.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
  const { sessions } = await listAll(env);
  assert.is(existsSync(ran), false);
  assert.equal(sessions, []);
  // Any other git would run it.
  assert.throws(() => repo.git('cat-file', 'blob', blob));
  assert.is(existsSync(ran), true);
});

test('CLI-4 --all with a session named is refused, with both commands', async () => {
  const run = await flame(makeRepo(), ['status', '--all', '--session', 'ses-20260101-000000-abcd']);
  assert.is(run.code, 129);
  assert.match(run.stderr, /--all is about every session, --session about one/);
});

test.run();
