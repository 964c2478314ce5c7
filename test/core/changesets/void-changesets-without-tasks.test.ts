import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { voidChangesetsWithoutTasks } from '../../../lib/core/changesets/void-changesets-without-tasks.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import { sampleSession } from '../../store/sample.ts';
import { makeOid, makePassed, makeTask } from '../../support/tasks.ts';

function makeChangeset(group: string, needs: readonly string[]): Changeset {
  return {
    ...{
      id: `1-${group}`,
      group,
      tasks: [makeTask(`task-${group}`).id],
      works: [],
      missing: [],
      depends_on: [...needs],
    },
    ...{ state: 'waiting', base: makeOid('base'), parent: makeOid('base'), commit: makeOid(group) },
    ...{ diffstat: { files: 1, insertions: 1, deletions: 0 }, diagnostics: [] },
    ...{ reason: null, decided_by: null, landed_commit: null },
  };
}

test('STK-3 what stands on withdrawn work is void with it, and names that work alone however far below it is', () => {
  const groups = ['a', 'b', 'c', 'd'];
  const changesets = groups.map((group, at) => makeChangeset(group, groups.slice(Math.max(0, at - 1), at)));
  const apart = makeChangeset('apart', []);
  const tasks = [...groups, 'apart'].map((group) =>
    group === 'a' ? makeTask('task-a', { status: 'dropped' }) : makePassed(`task-${group}`),
  );
  const session = sampleSession(undefined, { changesets: [...changesets, apart] });
  assert.equal(
    voidChangesetsWithoutTasks(session, tasks).changesets.map(({ state, reason }) => [state, reason]),
    [
      ['void', 'task-a is dropped'],
      ['void', 'it is stacked on a, where task-a is dropped'],
      ['void', 'it is stacked on a, where task-a is dropped'],
      ['void', 'it is stacked on a, where task-a is dropped'],
      ['waiting', null],
    ],
  );
});

test.run();
