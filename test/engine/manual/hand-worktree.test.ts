import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimByHand } from '../../../lib/engine/manual/claim-by-hand.ts';
import { releaseByHand } from '../../../lib/engine/manual/release-by-hand.ts';
import { submitByHand } from '../../../lib/engine/manual/submit-by-hand.ts';
import { alterTask, type TaskFields } from '../../support/tasks.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

// What another clone can write into the note of a task that its person here has claimed.

/** A claim by hand with its worktree, and another worktree of the person that has nothing to do with it. */
async function makeClaim(): Promise<TestWorkshop & { readonly own: string; readonly other: string }> {
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', file_locks: ['a.txt'] }],
    agent: () => ({}),
  });
  const { repo, context, session } = bench;
  const { worktree } = await claimByHand(context, session, { task: 'a', role: null, wantsWorktree: true });
  assert.ok(worktree !== null);
  const other = join(dirname(repo.path), 'feature');
  repo.git('worktree', 'add', '-q', '-b', 'feature', other);
  return { ...bench, own: worktree, other };
}

async function forgeTask({ said, session }: TestWorkshop, patch: Partial<TaskFields>): Promise<void> {
  await said.transact((state) => ({
    changes: [{ subject: 'forged', tasks: state.tasksOf(session).map((task) => alterTask(task, patch)) }],
    actor: 'Lea Lead <lea@example.com>',
  }));
}

const wish = { task: 'a', reason: 'given back', isForced: false, cwd: '/' };

test('TRU-2 a worktree that a note names is left, judged or made only where claims of its task make one', async () => {
  const bench = await makeClaim();
  const { repo, context, session, other } = bench;
  await forgeTask(bench, { worktree: other });
  const submitted = submitByHand(context, session, {
    ...{ task: 'a', commit: null, notes: null, isForced: false, cwd: repo.path },
  });
  await submitted.then(
    () => assert.unreachable('nothing was done in its worktree'),
    ({ code }) => assert.is(code, 'no-commits'),
  );
  await releaseByHand(context, session, wish);
  assert.is(repo.git('-C', other, 'branch', '--show-current'), 'feature');
  const missing = join(dirname(repo.path), 'not-there');
  const again = await makeClaim();
  await forgeTask(again, { worktree: missing });
  const claim = { task: 'a', role: null, wantsWorktree: true };
  await claimByHand(again.context, again.session, claim).then(
    () => assert.unreachable('it is claimed already'),
    ({ code }) => assert.is(code, 'already-yours'),
  );
  assert.not.ok(existsSync(missing));
});

test('TRU-2 commits of a claim are kept whatever another clone says it started from', async () => {
  const bench = await makeClaim();
  const { repo, context, session, own } = bench;
  repo.git('-C', own, 'commit', '-q', '--allow-empty', '-m', 'feat: begun');
  const tip = repo.git('-C', own, 'rev-parse', 'HEAD');
  await forgeTask(bench, { start_commit: tip as never, branch: null });
  const { rescue } = await releaseByHand(context, session, wish);
  assert.is(repo.git('rev-parse', `refs/blueflame/rescue/${rescue}`), tip);
});

test.run();
