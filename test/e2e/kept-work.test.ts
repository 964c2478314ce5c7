import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { findDamage, findRemains, start, startHere } from '../support/kill-rig.ts';
import { copyRepo, prepared, type TestRepo } from '../support/repo.ts';

// A rejected changeset whose work the person keeps: the next attempt finds it in its worktree.

const script = 'mkdir -p src && echo "attempt $FLAME_ATTEMPT" >> src/one.txt';
const tasks = [
  { id: 'one', script, locks: ['src/one.txt'], group: 'one' },
  {
    id: 'two',
    script: 'cat src/one.txt > src/two.txt',
    locks: ['src/two.txt'],
    group: 'one',
    needs: ['one'],
  },
  { id: 'other', script: 'echo other > other.txt', locks: ['other.txt'], group: 'other' },
];

type Answers = readonly unknown[];

function run(repo: TestRepo, argv: readonly string[], changesets: Answers = []): Promise<FlameRun> {
  const file = writeDecisions(repo, { plan: ['approve'], changesets, session: ['continue', 'continue'] });
  return flame(repo, [...argv, '--decisions-file', file]);
}

const waiting = prepared(async (given: typeof tasks) => {
  const repo = makeExecProject();
  repo.write('leaked.txt', 'key\n');
  repo.commit('oops leaked');
  const went = await run(repo, ['run', 'Go', '--from', writePlan(repo, given)]);
  assert.is(went.code, 2, went.stderr);
  return repo;
});

/** A session whose first changeset waits for its first decision, or was rejected already. */
const untilReview = prepared(async (changesets: Answers = [], given: typeof tasks = tasks) => {
  const repo = await waiting(given);
  const went = await run(repo, ['run'], changesets);
  assert.is(went.code, 2, went.stderr);
  return repo;
});

const goOn = ['resume'];
const keep = { reject: 'Say more.', keep: true };

test('MRG-4 a second reject decides anew: not kept, it begins again', async () => {
  const other = await untilReview([{ other: 'approve', one: keep }]);
  assert.is((await run(other, goOn, [{ one: { reject: 'Anew.' } }, { one: 'approve' }])).code, 0);
  assert.is(other.git('show', 'main:src/one.txt'), 'attempt 3');
});

test('MRG-9 a base that was rewound meanwhile: what was kept is brought along, what was taken off stays off', async () => {
  const repo = await untilReview([{ one: keep }]);
  repo.git('reset', '-q', '--hard', 'HEAD~1');
  const again = await run(repo, goOn, [{ all: 'approve' }]);
  assert.is(again.code, 0, again.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'attempt 1\nattempt 2');
  assert.not.match(repo.git('log', '-p', 'main'), /\+key/);
});

test('MRG-4 kept work that conflicts with the base is said, and done anew', async () => {
  const repo = await untilReview([{ one: keep }]);
  repo.write('src/one.txt', 'by hand\n');
  repo.commit('by hand');
  const again = await run(repo, goOn, [{ all: 'approve' }]);
  assert.is(again.code, 0, again.stderr);
  assert.match(again.stderr, /one starts from main, not from its kept attempt: it conflicts .*src\/one\.txt/);
  assert.is(repo.git('show', 'main:src/one.txt'), 'by hand\nattempt 2');
});

test('PCK-1 the post-check looks at all that differs from the base, what was kept too', async () => {
  const repo = await untilReview([{ one: keep }]);
  const edit = await flame(repo, ['task', 'edit', 'one', '--locks', 'src/else.txt']);
  assert.is(edit.code, 0, edit.stderr);
  const again = await run(repo, goOn, [{ all: 'approve' }]);
  assert.match(again.stderr, /path-out-of-scope\] src\/one\.txt/);
});

test('LIF-4 a kill at any moment of the next attempt loses nothing of what was kept', async () => {
  const origin = await untilReview([{ one: keep }], tasks.slice(0, 1));
  const argv = ['resume', '--decisions-file', writeDecisions(origin, { changesets: [{ one: 'approve' }] })];
  const measured = copyRepo(origin);
  const log = join(dirname(measured.path), 'points');
  assert.is(start(measured, argv, { FLAME_TEST_KILL_LOG: log }).code, 0);
  const points = readFileSync(log, 'utf8').trim().split('\n');
  const moments = points.flatMap((name, at) =>
    points.indexOf(name) === at && /cell|claimed|done|end of the agent|requeued|pending/.test(name) ? [at + 1] : [],
  );
  assert.ok(moments.length > 5, points.join('\n'));
  for (const at of moments) {
    const repo = copyRepo(origin);
    assert.is(start(repo, argv, { FLAME_TEST_KILL_AT: `${at}` }).signal, 'SIGKILL');
    const again = await startHere(repo, argv);
    assert.is(again.code, 0, `at ${points[at - 1]}: ${again.stderr}`);
    assert.match(repo.git('show', 'main:src/one.txt'), /^attempt 1\nattempt [2-9]$/, points[at - 1]);
    assert.equal([findDamage(repo), findRemains(repo)], ['', []]);
  }
});

test.run();
