import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pickBestAttempt } from '../../../lib/core/task/pick-attempt.ts';
import { type AttemptRecord, attemptRecordSchema } from '../../../lib/domain/state/attempt-record.ts';

interface Made extends Pick<AttemptRecord, 'failing' | 'verdict'> {
  readonly lines: number | null;
  readonly files?: number;
}

function made({ lines, files = 1, ...found }: Made): AttemptRecord {
  const oid = 'a'.repeat(40);
  const one = {
    agent_id: 'worker-0000000a',
    adapter: 'claude',
    model: 'm',
    notes: '',
    left: [],
    cost_usd: 0,
    tokens: 0,
  };
  return attemptRecordSchema.parse({
    ...{ ...one, ...found, ended: lines === null ? 'failed' : 'handed-in' },
    ...(lines === null ? {} : { work: { commit: oid, start: oid, files, lines } }),
  });
}

const cases: readonly (readonly [string, readonly Made[], { readonly at: number; readonly why: string } | null])[] = [
  ['none handed in', [{ lines: null }, { lines: null }], null],
  [
    'one handed in',
    [{ lines: null }, { lines: 90, failing: ['x'], verdict: 'fail' }],
    { at: 1, why: 'the only one whose work follows the rules' },
  ],
  [
    'diagnostics come before verdicts',
    [
      { lines: 1, failing: ['x'], verdict: 'pass' },
      { lines: 9, failing: [], verdict: 'fail' },
    ],
    { at: 1, why: 'the only one that passed the diagnostics' },
  ],
  [
    'where none passes them the fewest that fail',
    [
      { lines: 1, failing: ['x', 'y'] },
      { lines: 9, failing: ['x'] },
    ],
    { at: 1, why: 'the only one with no more than 1 failing diagnostic' },
  ],
  [
    'verdicts come before size',
    [
      { lines: 1, failing: [], verdict: 'fail' },
      { lines: 5, failing: [], verdict: 'pass' },
      { lines: 9, failing: [], verdict: 'pass' },
    ],
    { at: 1, why: 'one of 2 that passed its validation, the smallest, with 5 changed lines' },
  ],
  [
    'one without a verdict comes before one that failed',
    [
      { lines: 1, failing: [], verdict: 'fail' },
      { lines: 5, failing: [] },
    ],
    { at: 1, why: 'the only one that did not fail its validation' },
  ],
  [
    'the first of equal attempts',
    [
      { lines: 5, failing: [], verdict: 'pass' },
      { lines: 5, failing: [], verdict: 'pass' },
    ],
    { at: 0, why: 'the first of equal attempts' },
  ],
  [
    'to change nothing is not the smallest work',
    [{ lines: 0, files: 0 }, { lines: 50 }],
    { at: 1, why: 'the smallest, with 50 changed lines' },
  ],
  [
    'a change of a binary file is one',
    [{ lines: 0, files: 1 }, { lines: 50 }],
    { at: 0, why: 'the smallest, with 0 changed lines' },
  ],
];

for (const [name, tries, expected] of cases)
  test(`RND-4 of several attempts: ${name}`, () => assert.equal(pickBestAttempt(tries.map(made)), expected));

test.run();
