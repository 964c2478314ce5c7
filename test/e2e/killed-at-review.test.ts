import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { findDamage, findRemains, sampleOf, spread, start, startHere } from '../support/kill-rig.ts';
import { copyRepo, type TestRepo } from '../support/repo.ts';

// What a person does at a review, killed at each kind of moment, then typed again: the end is the same.

type Fields = Readonly<Record<string, unknown>>;

/** Two tasks of one group, and one of another, whose changesets wait. */
async function makeWaiting(answers: readonly unknown[] = []): Promise<TestRepo> {
  const repo = makeExecProject();
  const task = (id: string, group: string) => ({
    id,
    group,
    script: `echo ${id} > src/${id}`,
    locks: [`src/${id}`],
  });
  const plan = writePlan(repo, [task('a', 'both'), task('b', 'both'), task('c', 'alone')]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: answers });
  const run = await startHere(repo, ['run', 'Three', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 2, run.stderr);
  writeDecisions(repo, { changesets: [{ both: suggestion, alone: 'skip' }] }, 'suggest.yml');
  writeDecisions(repo, { changesets: [{ all: 'approve' }], session: ['stop'] }, 'approve.yml');
  return repo;
}

const suggestion = {
  suggest: [{ path: 'src/a', line: 1, text: '```suggestion\nbetter\n```' }],
};

/** First moments of each kind, locks apart. */
function momentsOf(repo: TestRepo, argv: readonly string[]): readonly number[] {
  const log = join(dirname(repo.path), 'points');
  const { signal, stderr } = start(repo, argv, { FLAME_TEST_KILL_LOG: log });
  assert.is(signal, null, stderr);
  assert.not.match(stderr, /^error/m, stderr);
  const names = readFileSync(log, 'utf8').trim().split('\n');
  const kinds = names.map((name) => name.replace(/^\d+ /, '').replace(/[0-9a-f]{8,}|ses-[\w-]+/g, ''));
  // Locks are taken and given back at each start, whatever it does; other tests kill there.
  const moments = kinds.flatMap((kind, at) => (kinds.indexOf(kind) === at && !/^lock /.test(kind) ? [at + 1] : []));
  assert.ok(moments.length > 2, names.join('\n'));
  return spread(moments, sampleOf(5, moments.length));
}

function kill(repo: TestRepo, argv: readonly string[], at: number): void {
  const { signal, stderr } = start(repo, argv, { FLAME_TEST_KILL_AT: `${at}` });
  assert.is(signal, 'SIGKILL', `${argv.join(' ')} at ${at}: ${stderr}`);
}

async function now(
  repo: TestRepo,
): Promise<{ readonly changesets: readonly Fields[]; readonly tasks: readonly Fields[] }> {
  return JSON.parse((await startHere(repo, ['status', '--json'])).stdout);
}

/** Approves what waits; what landed then. */
async function landAll(repo: TestRepo): Promise<string> {
  const end = await startHere(repo, ['resume', '--decisions-file', '.git/approve.yml']);
  assert.is(end.code, 0, end.stderr);
  assert.is(findDamage(repo), '');
  assert.equal(findRemains(repo), []);
  return repo.git('grep', '-h', '', 'main', '--', 'src/a', 'src/b', 'src/c').replace(/\n/g, ' ');
}

test('DSK-2 LIF-4 a suggestion killed while it is applied: applied whole, or not at all and applied then', async () => {
  const origin = await makeWaiting();
  const apply = ['review', '--decisions-file', '.git/suggest.yml'];
  for (const at of momentsOf(copyRepo(origin), apply)) {
    const repo = copyRepo(origin);
    const before = repo.git('for-each-ref', '--format=%(objectname)', 'refs/heads/blueflame/**/a');
    kill(repo, apply, at);
    const tip = repo.git('for-each-ref', '--format=%(objectname)', 'refs/heads/blueflame/**/a');
    if (tip === before) await startHere(repo, apply);
    const commits = repo.git('for-each-ref', '--format=%(authorname) %(subject)', 'refs/heads/blueflame/**/a');
    assert.match(commits, 'Apply a suggestion to src/a', `at ${at}`);
    assert.is(await landAll(repo), 'better b', `at ${at}`);
  }
});

test('DSK-2 LIF-4 a decision taken back, killed in between and typed again: it waits, and is decided anew', async () => {
  const origin = await makeWaiting([{ both: { reject: 'no' }, alone: 'skip' }]);
  const takeBack = ['review', '--take-back', 'both'];
  for (const at of momentsOf(copyRepo(origin), takeBack)) {
    const repo = copyRepo(origin);
    kill(repo, takeBack, at);
    await startHere(repo, takeBack);
    const { tasks } = await now(repo);
    assert.equal(
      tasks.map(({ status }) => status),
      ['done', 'done', 'done'],
      `at ${at}`,
    );
    assert.is(await landAll(repo), 'a b', `at ${at}`);
  }
});

test('DSK-2 LIF-4 one task sent back, killed in between and typed again: it alone went back', async () => {
  const origin = await makeWaiting();
  const back = ['review', '--changeset', 'both', '--reject', 'no', '--tasks', 'a'];
  for (const at of momentsOf(copyRepo(origin), back)) {
    const repo = copyRepo(origin);
    kill(repo, back, at);
    if ((await now(repo)).tasks[0]?.status === 'done') await startHere(repo, back);
    const { tasks } = await now(repo);
    assert.equal(
      tasks.map(({ status }) => status),
      ['requeued', 'done', 'done'],
      `at ${at}`,
    );
    // What a killed command left is cleared by the next one that works.
    await startHere(repo, ['validate']);
    await startHere(repo, ['cleanup', '--yes']);
    assert.is(findDamage(repo), '');
    assert.equal(findRemains(repo), [], `at ${at}`);
  }
});

test.run();
