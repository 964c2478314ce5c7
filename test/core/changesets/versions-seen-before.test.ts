import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listVersionsSeenBefore } from '../../../lib/core/changesets/versions-seen-before.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import { sampleChangeset } from '../../ui/samples.ts';

function set(id: string, tasks: readonly string[], changes: Partial<Changeset> = {}): Changeset {
  return { ...sampleChangeset(), id, tasks: tasks as Changeset['tasks'], decided_by: 'Lea', ...changes };
}

const ids = (sets: readonly Changeset[]): readonly string[] => sets.map(({ id }) => id);

test('RND-1 what a changeset is compared with is the latest version of each of its tasks that was decided', () => {
  const first = set('1-a', ['one', 'two'], { state: 'rejected' });
  const second = set('1-a-2', ['one'], { state: 'skipped' });
  const foreign = set('1-b', ['three'], { state: 'rejected' });
  const now = set('2-a', ['one', 'two'], { state: 'waiting' });
  assert.equal(ids(listVersionsSeenBefore([first, second, foreign, now], now)), ['1-a', '1-a-2']);
  assert.equal(ids(listVersionsSeenBefore([first, second, now], { id: '2-a', tasks: ['one'] as Changeset['tasks'] })), [
    '1-a-2',
  ]);
});

test('RND-1 nobody saw one that nobody decided, and none that comes later', () => {
  const now = set('2-a', ['one'], { state: 'waiting' });
  const unseen = [
    set('1-a', ['one'], { state: 'deferred' }),
    set('1-b', ['one'], { state: 'conflict', decided_by: null }),
    set('1-c', ['one'], { state: 'void' }),
  ];
  assert.equal(listVersionsSeenBefore([...unseen, now], now), []);
  const later = set('3-a', ['one'], { state: 'rejected' });
  assert.equal(listVersionsSeenBefore([now, later], now), []);
  const approved = set('1-d', ['one'], { state: 'conflict' });
  assert.equal(ids(listVersionsSeenBefore([approved, now], now)), ['1-d']);
});

test.run();
