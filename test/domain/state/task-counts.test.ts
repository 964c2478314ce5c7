import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countTasks, describeTaskCounts } from '../../../lib/domain/state/task-counts.ts';

test('each task counts once: work that failed its validation is not done, and dropped tasks are apart', () => {
  const of = (status: Parameters<typeof countTasks>[0][number]['status'], verdict: 'pass' | 'fail' | null = null) => ({
    status,
    verdict,
  });
  const counts = countTasks([
    ...[of('pending'), of('pending'), of('claimed'), of('done'), of('done', 'pass'), of('done', 'fail')],
    ...[of('merged', 'pass'), of('requeued'), of('failed'), of('blocked'), of('dropped')],
  ]);
  assert.equal(counts, {
    ...{ total: 10, done: 3, landed: 1, running: 1, waiting: 2, back: 1, lost: 3, dropped: 1 },
  });
  const { total, done, running, waiting, back, lost } = counts;
  assert.is(done + running + waiting + back + lost, total);
  assert.is(
    describeTaskCounts(counts).join(' · '),
    '3 of 10 tasks done, 1 landed · 1 running · 2 waiting · 1 sent back · 3 failed or blocked · 1 dropped',
  );
  assert.equal(describeTaskCounts(counts, 2).slice(1, 4), ['1 running', '2 ready', '0 waiting']);
});

test.run();
