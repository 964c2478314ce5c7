import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BoardAgent, BoardAgentTime, BoardTask } from '../../../lib/domain/view-models/board-view.ts';
import { type Lane, planLanes } from '../../../lib/ui/board/plan-lanes.ts';
import { fakeTask } from './fake-board.ts';

const minute = 60_000;

function ran(task: string | null, role: BoardAgentTime['role'], from: number, to: number): BoardAgentTime {
  return { id: `${role}-${from}`, role, task, from: from * minute, to: to * minute, outcome: 'done', cost_usd: 0 };
}

function lived(times: readonly (readonly [BoardTask['times'][number]['kind'], number, number | null])[], more = {}) {
  const spans = times.map(([kind, from, to]) => ({ kind, from: from * minute, to: to === null ? null : to * minute }));
  return fakeTask({ times: spans, ...more });
}

const running: BoardAgent = {
  ...{ id: 'worker-9', role: 'worker', task: 'two', adapter: 'exec', started_at: new Date(6 * minute).toISOString() },
  ...{ last_activity_at: '', activity: '', recent: [], cost_usd: 0, tokens: 0, blocked: 0, budget: null },
};

function kinds({ spans }: Lane): readonly string[] {
  return spans.map(({ kind, from, to, isOpen }) => `${kind} ${from / minute}-${to / minute}${isOpen ? '…' : ''}`);
}

test('DSK-1: each lane has who worked and what waited, for whom, in the order in which work began', () => {
  const { lanes, from, to, ticks } = planLanes({
    runs: [ran('one', 'worker', 2, 5), ran(null, 'planner', 0, 1), ran('one', 'validator', 5, 6)],
    agents: [running],
    tasks: {
      two: lived(
        [
          ['waits', 1, 6],
          ['works', 6, null],
        ],
        { needs: ['one'] },
      ),
      one: lived([
        ['waits', 1, 2],
        ['works', 2, 5],
        ['checks', 5, 6],
        ['decides', 6, 7],
        ['landed', 7, null],
      ]),
      three: lived([['waits', 1, null]], { needs: ['two'] }),
      four: lived(
        [
          ['waits', 1, 3],
          ['blocked', 3, null],
        ],
        { needs: ['two'] },
      ),
      five: fakeTask({ status: 'proposed' }),
    },
    now: 9 * minute,
  });
  assert.equal(
    lanes.map(({ task, role }) => task ?? role),
    ['planner', 'one', 'four', 'two'],
  );
  assert.equal(lanes.map(kinds), [
    ['agent 0-1'],
    ['waits 1-2', 'checks 5-6', 'decides 6-7', 'landed 7-7', 'agent 2-5', 'agent 5-6'],
    ['waits 1-3', 'blocked 3-9…'],
    ['waits 1-6', 'agent 6-9…'],
  ]);
  const waited = lanes.flatMap(({ task, spans }) =>
    spans.filter(({ waitedFor }) => waitedFor.length > 0).map((one) => `${task} ${one.kind}: ${one.waitedFor.join()}`),
  );
  assert.equal(waited, ['four waits: two', 'four blocked: two', 'two waits: one']);
  // Nothing moves on the axis before its end is reached.
  assert.equal([from, to, ticks.length], [0, 10 * minute, 6]);
});

test('work that was not booked, of a script or a person, is on its lane as well', () => {
  const tasks = {
    one: lived(
      [
        ['waits', 1, 2],
        ['works', 2, 4],
        ['waits', 4, 5],
        ['works', 5, null],
      ],
      { by: 'Lea' },
    ),
  };
  const { lanes } = planLanes({ runs: [ran('one', 'worker', 2, 4)], agents: [], tasks, now: 7 * minute });
  assert.equal(
    lanes[0]?.spans
      .filter(({ kind }) => kind === 'agent')
      .map(({ agent, from, to }) => [agent, from / minute, to / minute]),
    [
      ['Lea', 5, 7],
      ['worker-2', 2, 4],
    ],
  );
});

test('nothing to show makes no lane, and a clock that went back no bar of less than nothing', () => {
  assert.equal(planLanes({ runs: [], agents: [], tasks: {}, now: 5 }).lanes, []);
  const { lanes } = planLanes({ runs: [ran('one', 'worker', 5, 2)], agents: [running], tasks: {}, now: minute });
  for (const { spans } of lanes) for (const one of spans) assert.ok(one.to >= one.from);
});

test('many thousand times are arranged', () => {
  const times = Array.from({ length: 40 }, (_, at) => ['waits', at, at + 1] as const);
  const tasks = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`task-${at}`, lived([...times, ['works', 200, 201]])]),
  );
  const runs = Object.keys(tasks).map((task) => ran(task, 'worker', 200, 201));
  assert.is(planLanes({ runs, agents: [], tasks, now: 0 }).lanes.length, 1_000);
});

test.run();
