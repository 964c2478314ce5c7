import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PredictedConflict } from '../../lib/domain/view-models/status-view.ts';
import { applyEventToLiveState } from '../../lib/ui/live/apply-live-event.ts';
import { emptyLiveState } from '../../lib/ui/live/live-state.ts';
import { renderLive } from '../../lib/ui/live/render-live.ts';
import {
  describePredictedConflict,
  describePredictedConflicts,
  renderPredictedConflicts,
} from '../../lib/ui/render/render-predicted-conflicts.ts';
import { commitA, commitB, hostile, plainStyle, taskId } from './samples.ts';

const style = plainStyle(80);

function side(id: string, at_work = false) {
  return { task: taskId(id), commit: commitA, at_work };
}

function conflict(fields: Partial<PredictedConflict> = {}): PredictedConflict {
  return {
    ...{ one: side('task-003'), other: side('task-007', true), paths: ['price.js'], unrelated: false },
    ...fields,
  };
}

test('a conflict is one sentence that names both works, the files and who is still at work', () => {
  const branch = { branch: 'main', commit: commitB };
  assert.equal(
    [
      conflict(),
      conflict({ one: side('task-003', true), paths: ['a', 'b', 'c', 'd', 'e'] }),
      conflict({ other: side('task-007'), paths: [] }),
      conflict({ other: branch, one: side('task-003', true) }),
      conflict({ other: branch, unrelated: true, paths: [] }),
      conflict({ other: side('task-007'), unrelated: true, paths: [] }),
    ].map(describePredictedConflict),
    [
      'task-003 and task-007 conflict in price.js (task-007 is still working)',
      'task-003 and task-007 conflict in a, b, c and 2 more files (both are still working)',
      'task-003 and task-007 conflict',
      'task-003 conflicts with the current main in price.js (task-003 is still working)',
      "task-003 and main share no history, so git can't merge them",
      "task-003 and task-007 share no history, so git can't merge them",
    ],
  );
  const odd = describePredictedConflict(conflict({ paths: [hostile] }));
  assert.not.match(odd, /[\u0000-\u001f\u007f-\u009f\u202e]/);
});

test('what was left out is said; where there is nothing to say there is no heading', () => {
  const nothing = { found: [], untried_pairs: 0, unseen_tasks: 0 };
  assert.equal(renderPredictedConflicts(nothing, style), []);
  assert.equal(renderPredictedConflicts(undefined, style), []);
  assert.equal(describePredictedConflicts({ ...nothing, untried_pairs: 1, unseen_tasks: 2 }), [
    '1 more pair not checked yet',
    'the work of 2 tasks not checked',
  ]);
  const many = { ...nothing, found: Array.from({ length: 25 }, () => conflict()) };
  assert.is(describePredictedConflicts(many).length, 21);
  assert.is(renderPredictedConflicts(many, style)[0], 'Conflicts ahead');
});

test('the live view shows a few of them above the agents, until the wave ends', () => {
  const found = Array.from({ length: 5 }, () => conflict());
  const state = applyEventToLiveState(emptyLiveState, { event: 'conflicts-ahead', found, added: found }, 0);
  const frame = { width: 50, height: 20, now: 0, style, hasKeys: false };
  const lines = renderLive(state, frame).filter((line) => line.includes('conflict'));
  assert.is(lines.length, 3);
  assert.ok(lines.every((line) => line.length <= 50));
  const ended = applyEventToLiveState(state, { event: 'wave-ended', wave: 'work', cycle: 1, summary: '' }, 0);
  assert.equal(ended.conflicts, []);
});

test.run();
