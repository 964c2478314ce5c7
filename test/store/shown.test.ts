import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderReviewForGitLog } from '../../lib/core/changesets/render-for-git-log.ts';
import { parseObjectId } from '../../lib/domain/ids.ts';
import type { StateChange } from '../../lib/domain/ports/store-port.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { closeTestStores, openTestStore, sampleReview, sampleVerdict } from './sample.ts';

// What `git log` shows below a commit is for people; the notes themselves are JSON.

const setting = ['-c', 'notes.displayRef=refs/blueflame/show[n]'];

function shownBelow(repo: TestRepo, commit: string): readonly string[] {
  const lines = repo.git(...setting, 'log', '-1', commit).split('\n');
  const start = lines.findIndex((line) => line.startsWith('Notes'));
  return start < 0 ? [] : lines.slice(start);
}

/** Git shows it once the store is closed, at the latest. */
async function record(repo: TestRepo, changes: readonly StateChange[]): Promise<void> {
  const store = await openTestStore(repo);
  await store.transact(() => ({ actor: 'a', changes }));
  await store.close();
}

async function landed() {
  const repo = makeRepo();
  const work = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.write('more.txt', 'more\n');
  const commit = parseObjectId(repo.commit('docs: more'));
  const note = { ...sampleReview(commit), by: 'Lea Lead <lea@example.com>', cost_usd: 0.12 };
  const [task] = note.tasks;
  if (task === undefined) throw new Error('a review is of a task');
  const review = { ...note, tasks: [{ ...task, commit: work, verdict: 'pass' as const }] };
  await record(repo, [
    { subject: 'v', verdict: { ...sampleVerdict(work), by: 'diagnostics', notes: '1 diagnostic passed.' } },
    { subject: 'r', review: { commit, note: review } },
  ]);
  return { repo, work, commit, review };
}

test('STA-5 git log shows a review in three lines, with its heading, and a verdict in two', async () => {
  const { repo, work, commit } = await landed();
  const below = shownBelow(repo, commit);
  assert.is(below.length, 3, below.join('\n'));
  assert.is(below[0], 'Notes (blueflame/shown):');
  assert.match(below[1] ?? '', /^ {4}approved by Lea Lead, \d{4}-\d\d-\d\d \d\d:\d\d UTC, \$0\.12/);
  assert.match(below[2] ?? '', /^ {4}task-001 pass$/);
  assert.equal(shownBelow(repo, work), [
    'Notes (blueflame/shown):',
    '    task-001 pass by diagnostics: 1 diagnostic passed.',
  ]);
});

test('what was approved in spite of something, or taken back, is said, and cannot move a terminal', async () => {
  const { repo, commit, review } = await landed();
  const undone = { by: 'Mo <mo@example.com>', at: '2026-02-07T10:00:00.000Z', reason: 'It broke\u001b[2J.' };
  const note = { ...review, override: 'known to be flaky', undone };
  await record(repo, [{ subject: 'r', review: { commit, note } }]);
  const below = shownBelow(repo, commit).slice(3);
  assert.equal(below, [
    '    although checks fail: known to be flaky',
    '    taken back by Mo, 2026-02-07 10:00 UTC: It broke[2J.',
  ]);
});

test('whatever a note says that came from elsewhere, git prints lines that cannot move a terminal or forge another', async () => {
  const { repo, commit, review } = await landed();
  const [task] = review.tasks;
  const tasks = Array.from({ length: 50 }, (_, at) => ({
    ...review.tasks[0],
    id: `task-${at}\u001b[31m\nfake`,
  }));
  const at = '\u001b]0;x\u0007\u001b[2J\nfake';
  assert.ok(task !== undefined);
  const text = renderReviewForGitLog({
    ...review,
    at,
    tasks: tasks.map((one) => ({ ...task, ...one })),
    undone: { by: 'M', at, reason: 'r' },
  });
  assert.not.match(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  assert.is(text.split('\n').length, 4);
  assert.match(text, 'more');
  assert.ok(text.split('\n').every((line) => line.length <= 400));
  assert.is(shownBelow(repo, commit).length, 3);
});

test('what is not there, as after a kill or an older version, is made by the next command that writes', async () => {
  const { repo, commit } = await landed();
  repo.git('update-ref', '-d', 'refs/blueflame/shown');
  assert.equal(shownBelow(repo, commit), []);
  await record(repo, [{ subject: 'v', verdict: sampleVerdict(commit) }]);
  assert.is(shownBelow(repo, commit).length, 3);
});

test.after(closeTestStores);
test.run();
