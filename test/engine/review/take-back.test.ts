import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { type LandingUndoRequest, takeBackLanding } from '../../../lib/engine/review/take-back-landing.ts';
import { landedText, openStack, runStack, type StackBench } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// LND-1: a landing is taken back, with its tasks and its review.

test.after(closeWorkshops);

const again: LandingUndoRequest = {
  changeset: null,
  follow: 'requeue',
  notes: 'It is too slow.',
  keep: false,
};
const given: LandingUndoRequest = { ...again, follow: 'drop', notes: 'Not wanted any more.' };

/** Two groups that landed, `b` on top of `a`; each wrote a file of its own. */
async function openLanded(ids: readonly string[] = ['a', 'b']): Promise<StackBench> {
  const bench = await openStack({
    tasks: ids.map((id) => ({ id, locks: [`docs/${id}`] })),
    agent: ({ task, worktree }, attempt) => {
      if (task?.startsWith('undo-') === false) writeFileSync(join(worktree.path, 'docs', task), `${task} ${attempt}\n`);
      return {};
    },
    files: { 'docs/readme': 'text\n' },
  });
  await runStack(bench);
  return bench;
}

function tipOf({ repo }: StackBench): ObjectId {
  return parseObjectId(repo.git('rev-parse', 'main'));
}

async function sessionOf(bench: StackBench): Promise<Session> {
  return (await viewSession(bench.context, bench.session)).session;
}

async function changesetOf(bench: StackBench, id: string): Promise<Changeset> {
  const found = (await sessionOf(bench)).changesets.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no changeset ${id}`);
  return found;
}

function undo(bench: StackBench, wish: Partial<LandingUndoRequest> = {}): ReturnType<typeof takeBackLanding> {
  return takeBackLanding(bench.context, bench.session, { ...again, ...wish });
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof FlameError) return error.code;
    throw error;
  }
  return 'none';
}

test('LND-1 the last landing moves back with its tasks, its review and the files of the work tree', async () => {
  const bench = await openLanded();
  const { repo } = bench;
  const landed = tipOf(bench);
  const before = repo.git('rev-parse', 'main^1');
  assert.is((await sessionOf(bench)).state, 'ended');
  const undone = await undo(bench);
  assert.equal(undone, {
    ...{ changeset: '1-b', commit: landed, branch: 'main' },
    ...{ how: 'moved-back', to: before },
  });
  assert.is(repo.git('rev-parse', 'main'), before);
  assert.is(existsSync(join(repo.path, 'docs/b')), false);
  assert.is(repo.git('status', '--porcelain'), '');
  const b = await bench.task('b');
  assert.is(b.status, 'requeued');
  assert.is(b.undone, 1);
  assert.is(b.history.at(-1)?.rejection_reason, 'It is too slow.');
  assert.is((await bench.task('a')).status, 'merged');
  const { state, reason, landed_commit, undone: mark } = await changesetOf(bench, '1-b');
  assert.equal([state, reason, landed_commit, mark?.commit], ['rejected', 'It is too slow.', null, landed]);
  const review = (await bench.context.store.snapshot()).reviewOn(undone.commit);
  assert.is(review?.undone?.reason, 'It is too slow.');
  // What had landed stays.
  assert.is(repo.git('rev-parse', `refs/blueflame/changesets/${bench.session}/1-b`), landed);
  const session = await sessionOf(bench);
  assert.equal([session.state, session.base_commit, session.checkout], ['active', before, null]);
});

test('LND-1 what was taken back is done again and lands again', async () => {
  const bench = await openLanded();
  await undo(bench);
  const context = {
    ...bench.context,
    gates: { ...bench.context.gates, session: async () => ({ kind: 'continue' }) as const },
  };
  await runStack({ ...bench, context });
  assert.is((await bench.task('b')).status, 'merged');
  assert.is(landedText(bench, 'docs/b'), 'b 2');
  assert.equal(
    bench.asked.map(({ changeset }) => changeset.id),
    ['1-a', '1-b', '2-b'],
  );
});

test('LND-1 tasks can be given up, and the session stays ended', async () => {
  const bench = await openLanded();
  await undo(bench, given);
  const b = await bench.task('b');
  assert.equal([b.status, b.reason], ['dropped', 'Not wanted any more.']);
  assert.is((await sessionOf(bench)).state, 'ended');
  // One after the other, the latest first.
  await undo(bench, given);
  assert.is((await bench.task('a')).status, 'dropped');
  assert.is(existsSync(join(bench.repo.path, 'docs/a')), false);
  assert.is(await refusal(undo(bench, given)), 'no-changeset');
});

test('LND-1 where the branch has moved on, a revert goes the way of any work', async () => {
  const bench = await openLanded();
  const { repo } = bench;
  repo.write('mine.txt', 'mine\n');
  const mine = repo.commit('mine');
  const undone = await undo(bench, { changeset: 'b' });
  assert.is(undone.how, 'revert');
  assert.is(repo.git('rev-parse', 'main'), mine);
  const task = await bench.task('undo-b');
  assert.equal([task.status, task.result.status, task.file_locks], ['done', 'pass', ['docs/b']]);
  assert.is((await bench.task('b')).status, 'merged');
  assert.is(await refusal(undo(bench, { changeset: 'b' })), 'taken-back-already');
  await runStack(bench);
  assert.equal(
    bench.asked.slice(2).map(({ changeset }) => [changeset.group, changeset.diffstat]),
    [['undo-b', { files: 1, insertions: 0, deletions: 1 }]],
  );
  assert.equal(repo.git('ls-tree', '-r', '--name-only', 'main').split('\n'), [
    'README.md',
    'docs/a',
    'docs/readme',
    'mine.txt',
    'src/a.txt',
  ]);
  assert.is((await bench.task('b')).status, 'requeued');
  assert.is((await changesetOf(bench, '1-b')).state, 'rejected');
  assert.is((await bench.task('undo-b')).status, 'merged');
  const review = (await bench.context.store.snapshot()).reviewOn(undone.commit);
  assert.is(review?.undone?.reason, 'It is too slow.');
});

test('LND-1 a landing that lies below another one, or that a remote branch or a tag holds, is reverted', async () => {
  const bench = await openLanded();
  assert.equal((await undo(bench, { ...given, changeset: 'a' })).how, 'revert');
  for (const ref of ['refs/remotes/origin/main', 'refs/tags/v1']) {
    const published = await openLanded(['a']);
    published.repo.git('update-ref', ref, 'main');
    const undone = await undo(published, given);
    assert.is(undone.how === 'revert' ? undone.why : '', `${ref.slice('refs/'.length)} holds it`);
  }
});

test('LND-1 what git can not revert, and what is gone already, changes nothing', async () => {
  const bench = await openLanded(['a']);
  const { repo } = bench;
  repo.write('docs/a', 'a, and what came later\n');
  repo.commit('later');
  assert.is(await refusal(undo(bench)), 'undo-conflict');
  repo.git('rm', '-q', 'docs/a');
  repo.commit('by hand');
  assert.is(await refusal(undo(bench)), 'nothing-to-undo');
  assert.is(await refusal(undo(bench, { notes: ' \u200b' })), 'needs-reason');
  assert.is(await refusal(undo(bench, { changeset: 'nope' })), 'no-changeset');
  assert.is((await bench.task('a')).status, 'merged');
});

test('LND-1 of a branch that a person took the landing from, the tasks alone are taken back', async () => {
  const bench = await openLanded(['a']);
  bench.repo.git('reset', '-q', '--hard', 'main^1');
  bench.repo.write('mine.txt', 'mine\n');
  const mine = bench.repo.commit('mine');
  assert.is((await undo(bench)).how, 'was-gone');
  assert.is((await bench.task('a')).status, 'requeued');
  assert.is(tipOf(bench), mine);
});

test('LND-1 a work tree with changes of a person stays, and so does the landing', async () => {
  const bench = await openLanded(['a']);
  bench.repo.write('docs/a', 'unsaved\n');
  const landed = tipOf(bench);
  assert.is(await refusal(undo(bench)), 'dirty-tree');
  assert.is(tipOf(bench), landed);
  assert.is(readFileSync(join(bench.repo.path, 'docs/a'), 'utf8'), 'unsaved\n');
  assert.is((await bench.task('a')).status, 'merged');
});

test('LND-1 the next attempt starts from the work that had landed, unless it was reverted', async () => {
  const bench = await openLanded(['a']);
  const { commit } = await bench.task('a');
  await undo(bench, { keep: true });
  assert.is((await bench.task('a')).kept?.commit, commit);
  const published = await openLanded(['a']);
  published.repo.git('update-ref', 'refs/tags/v1', 'main');
  assert.is(await refusal(undo(published, { keep: true })), 'nothing-to-keep');
});

test('LND-1 where the landing is on a remote branch that the branch here has not been brought to, nothing is taken for gone', async () => {
  const bench = await openLanded(['a']);
  bench.repo.git('update-ref', 'refs/remotes/origin/main', 'main');
  bench.repo.git('reset', '-q', '--hard', 'main^1');
  assert.is(await refusal(undo(bench)), 'behind-landing');
  assert.is((await bench.task('a')).status, 'merged');
});

test('LND-1 groups that landed together, and a revert that landed', async () => {
  const bench = await openStack({
    tasks: ['a', 'b', 'c', 'd'].map((id) => ({
      ...{ id, locks: [`docs/${id}`], group: id < 'c' ? 'one' : 'two' },
      needs: id === 'c' ? ['a'] : id === 'b' ? ['d'] : [],
    })),
    agent: ({ task, worktree }) => {
      if (task !== null) writeFileSync(join(worktree.path, 'docs', task), `${task}\n`);
      return {};
    },
    files: { 'docs/readme': 'text\n' },
  });
  await runStack(bench);
  const [both] = (await sessionOf(bench)).changesets;
  assert.equal([both?.group, both?.state], ['one+two', 'landed']);
  bench.repo.write('mine.txt', 'mine\n');
  bench.repo.commit('mine');
  const undone = await undo(bench, given);
  assert.is(undone.how === 'revert' ? undone.task.id : '', 'undo-one-two');
  await runStack(bench);
  assert.is(existsSync(join(bench.repo.path, 'docs/a')), false);
  assert.is(await refusal(undo(bench, given)), 'revert-taken-back');
  assert.is((await bench.task('a')).status, 'dropped');
});

test.run();
