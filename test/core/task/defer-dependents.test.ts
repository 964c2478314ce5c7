import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deferDependents } from '../../../lib/core/task/defer-dependents.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';

type State = Changeset['state'];
const groups = [
  { group: 'auth', dependsOn: [] },
  { group: 'docs', dependsOn: [] },
  { group: 'api', dependsOn: ['auth'] },
  { group: 'ui', dependsOn: ['api', 'docs'] },
];

function defer(...decisions: readonly (readonly [string, State])[]): string[] {
  return deferDependents(groups, new Map(decisions)).map(({ group, because }) => `${group} ${because}`);
}

test('MRG-3 rejecting a group defers all that builds on it', () => {
  assert.equal(defer(['auth', 'rejected']), [
    'api builds on auth, which was rejected',
    'ui builds on api, which was deferred',
  ]);
});

test('a skipped, deferred or conflicting group defers too', () => {
  assert.equal(defer(['docs', 'skipped']), ['ui builds on docs, which was skipped']);
  assert.equal(defer(['docs', 'conflict']), ['ui builds on docs, which did not merge']);
  assert.equal(defer(['api', 'deferred']), ['ui builds on api, which was deferred']);
});

test('approved, landed, waiting and void groups defer nothing', () => {
  assert.equal(defer(), []);
  assert.equal(defer(['auth', 'approved'], ['docs', 'landed'], ['api', 'waiting']), []);
  assert.equal(defer(['auth', 'void']), []);
});

test('what is decided already stays as it is, what is waiting or void can be deferred', () => {
  assert.equal(defer(['auth', 'rejected'], ['api', 'landed']), []);
  assert.equal(defer(['auth', 'rejected'], ['api', 'void'], ['ui', 'waiting']).length, 2);
});

test('the order in which groups are given does not matter', () => {
  const decided = new Map<string, State>([['auth', 'rejected']]);
  const reversed = deferDependents([...groups].reverse(), decided);
  assert.equal(reversed.map(({ group }) => group).sort(), ['api', 'ui']);
});

test.run();
