import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeReviewNotes, mergeValidationNotes } from '../../lib/core/merge/merge-other-notes.ts';
import { mergeSessionNotes } from '../../lib/core/merge/merge-session-notes.ts';
import { mergeTaskNotes } from '../../lib/core/merge/merge-task-notes.ts';
import { type MergedNote, toSortedKeyJson } from '../../lib/core/merge/merge-values.ts';
import type { DiagnosticsRerun, ReviewNote, Verdict } from '../../lib/domain/state/verdict.ts';
import { makeRandom, type Random } from '../support/random.ts';
import { makeOid, makeTask, makeVerdict, testTime } from '../support/tasks.ts';
import { changeSession, changeTask, emptySession, someTask, someTime } from './merge-random.ts';

const rounds = 400;

interface Kind<T> {
  readonly name: string;
  readonly merge: (base: T | null, ours: T, theirs: T) => MergedNote<T>;
  readonly start: (random: Random) => T;
  readonly change: (random: Random, value: T, clone: string) => T;
}

/** Three clones change one note: whatever they merge with what, in whichever order, it ends the same. */
function obeysTheLaws<T>({ name, merge, start, change }: Kind<T>): void {
  const value = (base: T | null, ours: T, theirs: T): T => merge(base, ours, theirs).value;
  for (const hasBase of [true, false]) {
    const title = `STA-4 merging a ${name} ${hasBase ? 'with' : 'without'} a base`;
    const histories = (check: (base: T | null, a: T, b: T, c: T) => void) => () => {
      for (let seed = 1; seed <= rounds; seed += 1) {
        const random = makeRandom(seed);
        const base = start(random);
        const [a, b, c] = ['a', 'b', 'c'].map((clone) => change(random, base, clone));
        check(hasBase ? base : null, a ?? base, b ?? base, c ?? base);
      }
    };
    const equal = (one: T, other: T): void => assert.is(toSortedKeyJson(one), toSortedKeyJson(other));
    test(
      `${title} gives the same from both sides`,
      histories((base, a, b) => {
        equal(value(base, a, b), value(base, b, a));
        assert.equal(merge(base, a, b).lost, merge(base, b, a).lost);
      }),
    );
    test(
      `${title} gives the same in any order`,
      histories((base, a, b, c) => {
        const left = value(base, value(base, a, b), c);
        equal(left, value(base, a, value(base, b, c)));
        equal(left, value(base, value(base, a, c), b));
      }),
    );
    test(
      `${title} changes nothing the second time`,
      histories((base, a, b) => {
        equal(value(base, a, a), a);
        const merged = value(base, a, b);
        equal(value(base, merged, merged), merged);
        equal(value(a, merged, a), merged);
        equal(value(b, b, merged), merged);
      }),
    );
  }
}

obeysTheLaws({ name: 'task', merge: mergeTaskNotes, start: someTask, change: changeTask });
obeysTheLaws({
  name: 'session',
  merge: mergeSessionNotes,
  start: (random) => changeSession(random, emptySession, 'base'),
  change: changeSession,
});
obeysTheLaws<{ v: 1; rev: number; verdicts: Verdict[]; verifications?: DiagnosticsRerun[] | undefined }>({
  name: 'validation',
  merge: mergeValidationNotes,
  start: () => ({ v: 1, rev: 1, verdicts: [] }),
  change: (random, note, clone) =>
    random.chance(0.3)
      ? note
      : {
          ...note,
          rev: note.rev + 1,
          verdicts: [...note.verdicts, makeVerdict(makeTask('task-001'), 'pass', { by: clone, at: someTime(random) })],
          ...(random.chance(0.5) ? {} : verifiedAgain(note.verifications, clone, someTime(random))),
        },
});
function verifiedAgain(
  before: readonly DiagnosticsRerun[] | undefined,
  by: string,
  at: string,
): { readonly verifications: DiagnosticsRerun[] } {
  const hash = `sha256:${'0'.repeat(64)}`;
  const commit = makeOid('judged');
  const added = { session: emptySession.id, task: 'task-001', commit, expected: hash, found: hash };
  return { verifications: [...(before ?? []), { ...added, differences: [], by, at }] };
}

const review: ReviewNote = {
  v: 1,
  rev: 1,
  session: emptySession.id,
  group: 'main',
  tasks: [],
  decision: 'approved',
  by: 'Lea Lead <lea@example.com>',
  at: testTime,
  base: makeOid('base'),
  approved_commit: makeOid('approved'),
  override: null,
  cost_usd: 0,
  tokens: 0,
};
obeysTheLaws<ReviewNote>({
  name: 'review',
  merge: mergeReviewNotes,
  start: () => review,
  change: (random, note, clone) =>
    random.chance(0.3)
      ? note
      : {
          ...{ ...note, rev: note.rev + random.int(0, 2), by: clone, at: someTime(random) },
          ...(random.chance(0.3) ? { undone: { by: clone, at: someTime(random), reason: 'slow' } } : {}),
        },
});

test.run();
