import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ManualClaimChecker, whyNotClaimableByHand } from '../../../lib/core/schedule/manual-claim-rules.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makeRandom } from '../../support/random.ts';
import { alterTask, makeTask } from '../../support/tasks.ts';

test('many claims one after the other are judged as each would be alone', () => {
  const random = makeRandom(3);
  for (let round = 0; round < 20; round += 1) {
    let tasks: readonly Task[] = Array.from({ length: 30 }, (_, at) =>
      makeTask(`task-${at}`, {
        file_locks: [`src/${random.int(0, 12)}${random.pick(['', '/**', '/a.ts'])}`],
        dependencies: random.int(0, 5) === 0 && at > 0 ? [`task-${random.int(0, at - 1)}`] : [],
      }),
    );
    const limit = random.pick([4, Number.POSITIVE_INFINITY]);
    const rules = new ManualClaimChecker(tasks, limit);
    for (const { id } of tasks) {
      const task = tasks.find((one) => one.id === id);
      if (task === undefined) continue;
      const expected = whyNotClaimableByHand(task, tasks, limit);
      const found = rules.objectionTo(task);
      // Of several that are in its way another one may be named.
      assert.is(found?.replace(/ with task-\d+,/, ''), expected?.replace(/ with task-\d+,/, ''));
      if (found !== null) continue;
      const claimed = claim(task);
      tasks = tasks.map((one) => (one === task ? claimed : one));
      rules.add(claimed);
    }
  }
});

function claim(task: Task): Task {
  return alterTask(task, {
    status: 'claimed',
    claimed_by: 'x <x@y.z>',
    claimed_at: '2026-02-06T14:30:22.000Z',
  });
}

test.run();
