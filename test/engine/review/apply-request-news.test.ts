import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PullRequestNews } from '../../../lib/domain/state/pull-request-news.ts';
import { decideAndRecord, viewSession } from '../../../lib/engine/record-changes.ts';
import { requeueTasksForRequestNews } from '../../../lib/engine/review/apply-pull-request-news.ts';
import { renderAnsweredRemarks } from '../../../lib/ui/render/changeset-lines.ts';
import { openStack, runStack, type StackBench } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';
import { sampleChangesetQuestion } from '../../ui/samples.ts';

// RND-2: of two that take up the same news at once, each says what it wrote itself.

test.after(closeWorkshops);

const news: PullRequestNews = {
  ...{ state: 'open', head: 'f'.repeat(40), ignored: [] },
  remarks: ['first', 'second'].map((id) => ({ id, by: 'octocat', text: `Say ${id}.`, place: null })),
  failed: [{ id: 'red', name: 'test', conclusion: 'failure', url: 'https://ci.example/1', log: '' }],
};

function openLanded(): Promise<StackBench> {
  return openStack({
    tasks: [{ id: 'a', locks: ['docs/a'] }],
    agent: ({ worktree }) => {
      writeFileSync(join(worktree.path, 'docs', 'a'), 'a\n');
      return {};
    },
    config: { project: { landing: 'branch' } },
    files: { 'docs/readme': 'text\n' },
  });
}

/** Takes the news up while somebody else does something in the same instant, before it is recorded. */
function takeUpBehind(bench: StackBench, other: () => Promise<unknown>): ReturnType<typeof requeueTasksForRequestNews> {
  let isFirst = true;
  const { store } = bench.context;
  const late: typeof store = {
    ...store,
    snapshot: () => store.snapshot(),
    transact: async (decide) => {
      if (isFirst) await other();
      isFirst = false;
      return store.transact(decide);
    },
  };
  return requeueTasksForRequestNews({ ...bench.context, store: late }, bench.session, news, {
    isAllowedMore: false,
    reopen: 'gh pr reopen URL',
    request,
  });
}

const request = { url: '', branch: 'flame/sample', group: null, rounds: 0 };

test('RND-2 where another one took all of it up in this instant, nothing is said to be taken up', async () => {
  const bench = await openLanded();
  await runStack(bench);
  const taken = await takeUpBehind(bench, () =>
    requeueTasksForRequestNews(bench.context, bench.session, news, {
      isAllowedMore: false,
      reopen: 'gh pr reopen URL',
      request,
    }),
  );
  assert.equal(taken, { tasks: [], left: 0, awaited: [] });
  assert.is((await viewSession(bench.context, bench.session)).session.landing?.rounds, 1);
});

test('RND-2 what a round in between has heard is not given again, the rest is', async () => {
  const bench = await openLanded();
  await runStack(bench);
  const taken = await takeUpBehind(bench, () =>
    decideAndRecord(bench.context, bench.session, ({ session }) => {
      const { landing } = session;
      if (landing === undefined) throw new Error('nothing landed on a branch');
      const next = { ...session, landing: { ...landing, heard: ['first', 'red'], rounds: 1 } };
      return { session: { next, subject: 'session: another round' } };
    }),
  );
  assert.equal(taken, { tasks: [{ id: 'a', remarks: 1, checks: 0 }], left: 0, awaited: [] });
  const notes = (await bench.task('a')).history.at(-1)?.notes ?? '';
  assert.match(notes, /Say second/);
  const next = sampleChangesetQuestion().changeset;
  assert.equal(renderAnsweredRemarks(next, [await bench.task('a')]), ['a: octocat: Say second.']);
  assert.not.match(notes, /Say first|The check test/);
  const { session } = await viewSession(bench.context, bench.session);
  assert.equal(session.landing?.heard, ['first', 'red', 'second']);
});

test.run();
