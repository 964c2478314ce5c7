import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CommittedWork,
  listConflicts,
  makeTrialPairKey,
  planTrialMerges,
  type TrialPair,
} from '../../../lib/core/conflict-detection/trial-merges.ts';
import { parseTaskId } from '../../../lib/domain/ids.ts';
import type { TrialMergeResult } from '../../../lib/domain/ports/git-commits.ts';
import { makeOid } from '../../support/tasks.ts';

const branch = { branch: 'main', commit: makeOid('base') };

interface Fields extends Partial<Omit<CommittedWork, 'changes' | 'missed'>> {
  readonly paths?: readonly string[] | null;
  readonly missed?: readonly string[];
  readonly removes?: boolean;
}

/** A work that renames files, unless `removes` is false. */
function work(id: string, { paths = [], missed = [], removes = true, ...fields }: Fields = {}): CommittedWork {
  return {
    ...{ task: parseTaskId(id), commit: makeOid(id), isAtWork: false, file_locks: [], builtOn: new Set() },
    ...{ changes: paths && { paths, removes }, missed: { paths: missed, removes }, changedAt: 0 },
    ...fields,
  };
}

function plan(works: readonly CommittedWork[], fields: Partial<Parameters<typeof planTrialMerges>[0]> = {}) {
  return planTrialMerges({ works, branch, changesets: [], isKnown: () => false, most: 100, ...fields });
}

function names(pairs: readonly TrialPair[]): readonly string[] {
  return pairs.map(({ one, other }) => `${one.task} ${'task' in other ? other.task : other.branch}`);
}

test('pairs that share a file or a folder, or lock the same, are worth a trial; others are not', () => {
  const works = [
    work('a', { paths: ['src/price.js'] }),
    work('b', { paths: ['src/price.js', 'x/y'] }),
    work('c', { paths: ['src/other.js'] }),
    work('d', { paths: ['docs/read.md'], file_locks: ['lib/'] }),
    work('e', { paths: ['deep/in/here'], file_locks: ['lib/a.js'] }),
    work('f', { paths: ['src'] }),
    work('g', { paths: null }),
    work('h'),
  ];
  assert.equal([...names(plan(works).near)].sort(), [
    ...['a b', 'a c', 'a f', 'a g', 'b c', 'b f', 'b g', 'c f', 'c g'],
    ...['d e', 'd g', 'e g', 'f g'],
  ]);
});

test('where no file is deleted or renamed, only a path in common is worth a trial', () => {
  const works = [
    work('a', { paths: ['src/price.js'], removes: false }),
    work('b', { paths: ['src/other.js'], removes: false, file_locks: ['src/'] }),
    work('c', { paths: ['src/price.js', 'src/x'], removes: false }),
    work('d', { paths: ['src'], removes: false, file_locks: ['src/'] }),
    work('e', { paths: ['src/moved.js'] }),
  ];
  const pairs = ['a c', 'a d', 'a e', 'b d', 'b e', 'c d', 'c e', 'd e'];
  assert.equal([...names(plan(works).near)].sort(), pairs);
});

test('the newest changed come first, at most so many, and what is left out is counted', () => {
  const works = [1, 2, 3, 4].map((n) => work(`t${n}`, { paths: ['a/x'], changedAt: n }));
  const { due, leftOut, near } = plan(works, { most: 2 });
  assert.equal(names(due), ['t1 t4', 't2 t4']);
  assert.is(leftOut, 4);
  assert.is(near.length, 6);
  const known = new Set(due.map(makeTrialPairKey));
  const next = plan(works, { most: 3, isKnown: (pair) => known.has(makeTrialPairKey(pair)) });
  assert.equal(names(next.due), ['t3 t4', 't1 t3', 't2 t3']);
  assert.is(next.leftOut, 1);
});

test('of equal age the same file goes before the same folder, and that before locks alone', () => {
  const works = [
    work('a', { paths: ['src/x'], file_locks: ['lib/'] }),
    work('b', { paths: ['other/q'], file_locks: ['lib/q'] }),
    work('c', { paths: ['src/y'] }),
    work('d', { paths: ['src/x'] }),
  ];
  assert.equal(names(plan(works).near), ['a d', 'a c', 'c d', 'a b']);
});

test('what is built on each other, or merged in one changeset, is not tried', () => {
  const works = [
    work('a', { paths: ['x'] }),
    work('b', { paths: ['x'], builtOn: new Set([makeOid('a')]) }),
    work('c', { paths: ['x'], missed: ['x'] }),
  ];
  assert.equal(names(plan(works).near), ['a c', 'b c', 'c main']);
  const changeset = {
    ...{ id: '1-g', group: 'g', tasks: [parseTaskId('a'), parseTaskId('c')], missing: [], depends_on: [] },
    ...{ works: [makeOid('a'), makeOid('c')], state: 'waiting' as const, base: branch.commit },
    ...{ parent: branch.commit, commit: makeOid('set'), diffstat: { files: 1, insertions: 1, deletions: 0 } },
    ...{ diagnostics: [], reason: null, decided_by: null, landed_commit: null },
  };
  assert.equal(names(plan(works, { changesets: [changeset] }).near), ['b c']);
  const again = works.map((one) => (one.task === 'c' ? { ...one, commit: makeOid('c again') } : one));
  assert.equal(names(plan(again, { changesets: [changeset] }).near), ['a c', 'b c', 'c main']);
});

test('a hundred tasks in one folder are bounded', () => {
  const works = Array.from({ length: 100 }, (_, n) => work(`t${n}`, { paths: [`src/f${n}`], changedAt: n }));
  const { due, leftOut } = plan(works, { most: 60 });
  assert.is(due.length, 60);
  assert.is(leftOut, 4_950 - 60);
});

test('a conflict of the work below is not said again of what was built on it', () => {
  const a = work('a', { paths: ['x'] });
  const b = work('b', { paths: ['x', 'y'], builtOn: new Set([a.commit]) });
  const c = work('c', { paths: ['x', 'y'], isAtWork: true });
  const trials = new Map<string, TrialMergeResult>([
    [makeTrialPairKey({ one: a, other: c }), { kind: 'conflict', paths: ['x'] }],
    [makeTrialPairKey({ one: b, other: c }), { kind: 'conflict', paths: ['x', 'y'] }],
    [makeTrialPairKey({ one: c, other: branch }), { kind: 'unrelated' }],
  ]);
  const { near } = plan([c, b, { ...a }].map((one) => ({ ...one, missed: { paths: ['x'], removes: true } })));
  const found = listConflicts(near, (pair) => trials.get(makeTrialPairKey(pair)));
  assert.equal(
    found.map(({ one, other, paths, unrelated }) => [
      ...[one.task, 'task' in other ? other.task : other.branch],
      ...[paths, unrelated],
    ]),
    [
      ['a', 'c', ['x'], false],
      ['b', 'c', ['y'], false],
      ['c', 'main', [], true],
    ],
  );
  assert.is(found[0]?.one.at_work, false);
});

test('a conflict all of which lies below is said of that alone', () => {
  const a = work('a', { paths: ['x'], missed: ['x'] });
  const b = work('b', { paths: ['x'], missed: ['x'], builtOn: new Set([a.commit]) });
  const trial: TrialMergeResult = { kind: 'conflict', paths: ['x'] };
  const found = listConflicts(plan([a, b]).near, () => trial);
  assert.equal(
    found.map(({ one }) => one.task as string),
    ['a'],
  );
});

test.run();
