import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClaimBatchSize } from '../../../lib/core/schedule/manual-claim-rules.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { alterTask, makeTask } from '../../support/tasks.ts';

interface Racer {
  readonly share: ClaimBatchSize;
  won: number;
}

test('UNI-2 each of those who race for many tasks gets its part, in few turns', () => {
  for (const racers of [2, 3, 8, 16])
    for (const count of [50, 200, 500, 1_000]) {
      const { won, turns } = race(count, racers);
      const said = `${racers} for ${count}: ${won.join(' ')}`;
      assert.is(
        won.reduce((sum, one) => sum + one, 0),
        count,
      );
      // What the first one takes is too much where more than eight come.
      if (racers <= 8 && count >= racers * 16) assert.ok(Math.max(...won) <= 2 * Math.min(...won), said);
      assert.ok(turns <= 3 * racers + count / 32, `${turns} turns, ${said}`);
    }
});

test('UNI-2 who comes while others are at it gets no more than they do', () => {
  const { won } = race(400, 4, 2);
  assert.ok(Math.max(...won) <= 2 * Math.min(...won), won.join(' '));
});

test('who is alone takes ever more at once', () => {
  let tasks = makeTasks(1_000);
  const share = new ClaimBatchSize(tasks);
  const taken = Array.from({ length: 5 }, () => {
    const count = share.next(tasks, 0);
    tasks = claim(tasks, count);
    share.took(count, tasks);
    return count;
  });
  assert.equal(taken, [64, 128, 128, 128, 128]);
});

test('who lost to others begins anew', () => {
  const tasks = makeTasks(80);
  const share = new ClaimBatchSize(tasks);
  assert.is(share.next(tasks, 0), 16);
  share.took(16, claim(tasks, 16));
  assert.is(share.next(claim(tasks, 40), 0), 16);
});

/** One after the other, as the queue has them; `late`: so many come after the first turns. */
function race(count: number, racers: number, late = 0): { won: readonly number[]; turns: number } {
  let tasks = makeTasks(count);
  const all = Array.from({ length: racers }, (): Racer => ({ share: new ClaimBatchSize(tasks), won: 0 }));
  const queue = all.slice(0, racers - late);
  let turns = 0;
  while (tasks.some(({ status }) => status === 'pending')) {
    const racer = queue.shift();
    if (racer === undefined) throw new Error('nobody is left');
    const free = tasks.filter(({ status }) => status === 'pending').length;
    // The first one comes before anybody else is there.
    const most = Math.min(free, racer.share.next(tasks, turns === 0 ? 0 : queue.length));
    assert.ok(most >= 1);
    tasks = claim(tasks, most);
    racer.share.took(most, tasks);
    racer.won += most;
    turns += 1;
    if (turns === 1) queue.push(...all.slice(racers - late));
    queue.push(racer);
  }
  return { won: all.map(({ won }) => won), turns };
}

function makeTasks(count: number): readonly Task[] {
  return Array.from({ length: count }, (_, at) => makeTask(`task-${at}`));
}

function claim(tasks: readonly Task[], count: number): readonly Task[] {
  let left = count;
  return tasks.map((task) => {
    if (left === 0 || task.status !== 'pending') return task;
    left -= 1;
    return alterTask(task, {
      status: 'claimed',
      claimed_by: 'x <x@y.z>',
      claimed_at: '2026-02-06T14:30:22.000Z',
    });
  });
}

test.run();
