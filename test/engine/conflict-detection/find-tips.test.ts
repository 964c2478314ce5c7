import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { findWorkTips } from '../../../lib/engine/conflict-detection/tips-and-trials.ts';
import { sampleTask } from '../../store/sample.ts';

const start = parseObjectId('1'.repeat(40));
const commit = parseObjectId('2'.repeat(40));

test('the branches of all tasks that persons hold are asked for at once, not one after another', async () => {
  const asked: string[] = [];
  let letAnswer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  const tasks = ['task-001', 'task-002', 'task-003'].map((id) => held(id, start));
  const { tips } = await findWorkTips(
    {
      git: {
        cells: async () => [],
        cellHead: async () => commit,
        restingTip: async (_worktree, branch) => {
          asked.push(branch);
          if (asked.length === tasks.length) letAnswer();
          await answered;
          return commit;
        },
      },
      worktreeOf: () => null,
    },
    tasks,
  );
  assert.equal(
    tips.map(({ task }) => task.id),
    tasks.map(({ id }) => id),
  );
});

test('what has not started has no work to ask for', async () => {
  const { tips, unreadable } = await findWorkTips(
    {
      git: {
        cells: async () => [],
        cellHead: async () => commit,
        restingTip: async () => {
          throw new Error('asked for nothing');
        },
      },
      worktreeOf: () => null,
    },
    [held('task-001', null)],
  );
  assert.equal([tips.length, unreadable], [0, 0]);
});

function held(id: string, start_commit: Task['start_commit']): Task {
  return {
    ...sampleTask(id),
    status: 'claimed',
    ...{
      agent_id: null,
      claimed_by: 'Lea',
      claimed_at: '2026-02-06T14:30:22.000Z',
      commit: null,
      start_commit,
    },
  };
}

test.run();
