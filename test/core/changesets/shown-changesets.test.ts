import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listChangesetsToShow } from '../../../lib/core/changesets/changesets-to-show.ts';

type Sets = readonly (readonly [id: string, group: string, state: string, tasks: readonly string[]])[];

/** The ids of those that are shown in cycle 1, where these tasks are done. */
function shown(sets: Sets, done: readonly string[]): readonly string[] {
  const changesets = sets.map(([id, group, state, tasks]) => ({ id, group, state, tasks }));
  const tasks = done.map((id) => ({ id, status: 'done' }));
  return listChangesetsToShow({ cycle: 1, changesets } as never, tasks as never).map(({ id }) => id);
}

test('DSK-3 one that is void by a suggestion stays in its place until it is built again', () => {
  const sets: Sets = [
    ['1-api', 'api', 'waiting', ['a']],
    ['1-docs', 'docs', 'void', ['d']],
    ['1-util', 'util', 'landed', ['u']],
  ];
  assert.equal(shown(sets, ['a', 'd']), ['1-api', '1-docs', '1-util']);
  assert.equal(shown([...sets, ['1-docs', 'docs', 'waiting', ['d']]], ['a', 'd']).length, 3);
});

test('DSK-3 void ones whose work went elsewhere, is done no more, or was void before, are not shown', () => {
  assert.equal(shown([['1-docs', 'docs', 'void', ['d']]], []), []);
  assert.equal(
    shown(
      [
        ['1-docs', 'docs', 'void', ['d']],
        ['1-docs-2', 'docs', 'waiting', ['d']],
      ],
      ['d'],
    ),
    ['1-docs-2'],
  );
  assert.equal(
    shown(
      [
        ['1-docs', 'docs', 'void', ['d']],
        ['1-docs-2', 'docs', 'void', ['d']],
      ],
      ['d'],
    ),
    ['1-docs-2'],
  );
  assert.equal(shown([['0-docs', 'docs', 'void', ['d']]], ['d']), []);
});

test.run();
