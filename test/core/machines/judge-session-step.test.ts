import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeSessionMerge } from '../../../lib/core/machines/judge-merge.ts';
import { judgeSessionStep } from '../../../lib/core/machines/judge-session-step.ts';
import { mendBudget } from '../../../lib/core/machines/mend-budget.ts';
import { addRun } from '../../../lib/core/schedule/add-run.ts';
import { presumeSpent, reserveShare } from '../../../lib/core/schedule/reserve-share.ts';
import type { AgentRun, Session } from '../../../lib/domain/state/session.ts';
import { sampleSession } from '../../store/sample.ts';
import { testTime as at } from '../../support/tasks.ts';

const terms = { lead: 'ada', remote: 'origin', term: 1, lease_ms: 60_000, renew_ms: 10_000 };
const start: Session = {
  ...sampleSession(),
  machines: terms,
  spent_on: { ben: { cost_usd: 1, tokens: 5 } },
  cost_usd: 1,
  tokens: 5,
};

function reserved(session: Session, agent: string, machine: string): Session {
  const found = reserveShare(session, { limit: 10, unit: 'usd', most: 2, agent, machine });
  if (found === null) throw new Error('nothing left');
  return found.session;
}

const run = (id: string): AgentRun => ({
  ...{ id, role: 'worker', task_id: 'task-001', model: null, started_at: at, ended_at: at, outcome: 'done' },
  ...{ cost_usd: 0.5, tokens: 9 },
});

const set = reserved(reserved(start, 'worker-b', 'ben'), 'worker-c', 'cat');

/** What is found of a step signed by a machine, where all are known to sign and ada leads. */
const judge = (before: Session, after: Session, author: string | null) =>
  judgeSessionStep(before, after, {
    isBy: (machine) => machine === author,
    isByLead: author === 'ada',
    isAlive: () => true,
  });

const led = (machines: Partial<typeof terms>): Session => ({ ...start, machines: { ...terms, ...machines } });
const { machines: _, ...unshared } = start;
const ended: Session = { ...start, state: 'ended' };
const archived: Session = { ...ended, agents: [], changesets: [], archived_at: at };
const landed = { ...start, changesets: [{ landed_commit: 'x' }] } as never as Session;

const sound: readonly (readonly [string, Session, Session, string | null])[] = [
  ['money set aside', start, reserved(start, 'worker-b', 'ben'), 'ben'],
  ['a run that is booked', set, addRun(set, run('worker-b')), 'ben'],
  [
    'what another machine had set aside, presumed spent',
    set,
    presumeSpent(set, ({ machine }) => machine === 'ben'),
    'cat',
  ],
  ['a lead that was taken over', start, led({ lead: 'ben', term: 2 }), 'ben'],
  ['a limit that the lead raised', start, { ...start, raised_limit: 20 }, 'ada'],
  ['a limit that anybody made less', { ...start, raised_limit: 20 }, { ...start, raised_limit: null }, 'ben'],
  ['a landing of the lead', start, landed, 'ada'],
  ['the end, by who leads', start, { ...start, state: 'ended' }, 'ada'],
  ['what is left of one that has ended, archived by anybody', ended, archived, 'ben'],
  ['one that has ended, named', ended, { ...ended, title: 'Named' }, 'ben'],
  ['one that has ended, opened again: each clone asks about that', ended, start, 'ben'],
  [
    'a run that is booked after the end',
    { ...set, state: 'ended' },
    addRun({ ...set, state: 'ended' }, run('worker-b')),
    'ben',
  ],
  [
    'one that has ended, taken over by who leads it from then on',
    ended,
    { ...ended, machines: { ...terms, lead: 'ben', term: 2 } },
    'ben',
  ],
  ['what the lead has land after the end', ended, { ...landed, state: 'ended' }, 'ada'],
  ['one that was not shared, shared by who leads it', unshared, start, 'ada'],
];
for (const [what, before, after, author] of sound)
  test(`DST-1 BUD-2 sound: ${what}`, () => assert.equal(judge(before, after, author), []));

const less = { ...set, reservations: (set.reservations ?? []).map((one) => ({ ...one, cost_usd: 0.1 })) };
const broken: readonly (readonly [string, string, Session, Session, string | null, RegExp])[] = [
  [
    'what another machine had set aside is taken away',
    'budget',
    set,
    { ...set, reservations: [] },
    'cat',
    /worker-b on ben had set aside/,
  ],
  ['it is made less', 'budget', set, less, 'cat', /worker-b on ben/],
  [
    'what a machine spent becomes less',
    'budget',
    start,
    { ...start, spent_on: { ben: { cost_usd: 0, tokens: 0 } } },
    'ben',
    /ben spent became less/,
  ],
  [
    'what all spent becomes less',
    'budget',
    start,
    { ...start, cost_usd: 0 },
    'ada',
    /what was spent became less/,
  ],
  [
    'the limit is raised',
    'budget',
    start,
    { ...start, raised_limit: 99 },
    'ben',
    /raised by who does not lead/,
  ],
  [
    'the lead is taken in the name of another machine',
    'lead',
    start,
    led({ lead: 'ben', term: 2 }),
    'eve',
    /ben took the lead/,
  ],
  [
    'terms are left out',
    'lead',
    start,
    led({ lead: 'ben', term: 9 }),
    'ben',
    /term 9 of ben follows term 1 of ada/,
  ],
  [
    'the lead passes from a machine that has a key to one that has none',
    'lead',
    led({ lead: `ada/00000000-${'0'.repeat(20)}` }),
    led({ lead: 'ben', term: 2 }),
    'ben',
    /ben took the lead from ada.*holds no key/,
  ],
  ['terms go back', 'lead', led({ term: 3 }), start, 'ada', /from 3 back to 1/],
  ['leases become shorter', 'lead', start, led({ lease_ms: 1 }), 'ben', /leases were changed/],
  ['it is shared no more', 'lead', start, unshared, 'ada', /no machines any more/],
  [
    'a machine is trusted by another one',
    'trust',
    start,
    led({ trusted: [{ machine: 'eve', roles: ['review'] }] } as never),
    'eve',
    /not the word of its lead/,
  ],
  [
    'merging is taken',
    'trust',
    start,
    led({ merging: { machine: 'eve', claim: 1 } } as never),
    'eve',
    /handed out/,
  ],
  ['something lands', 'end', start, landed, 'ben', /landed by who does not lead/],
  [
    'it is archived while it goes on',
    'end',
    start,
    { ...archived, state: 'active' },
    'ben',
    /archived before/,
  ],
  [
    'what was spent becomes less after the end',
    'budget',
    ended,
    { ...ended, cost_usd: 0 },
    'ben',
    /became less/,
  ],
  ['its limit is raised after the end', 'budget', ended, { ...start, raised_limit: 99 }, 'ben', /raised by/],
  ['something lands after the end', 'end', ended, { ...landed, state: 'ended' }, 'ben', /landed by who/],
  [
    'the lead is given to another one after the end',
    'lead',
    ended,
    { ...ended, machines: { ...terms, lead: 'ben', term: 2 } },
    'eve',
    /did not do that/,
  ],
  [
    'a machine is trusted after the end',
    'trust',
    ended,
    { ...ended, machines: { ...terms, trusted: [{ machine: 'eve', roles: ['review'] }] } },
    'eve',
    /not the word of its lead/,
  ],
  [
    'what was spent becomes less where it is shared no more',
    'budget',
    unshared,
    { ...unshared, cost_usd: 0 },
    'ben',
    /became less/,
  ],
  [
    'its limit is raised where it is shared no more',
    'budget',
    unshared,
    { ...unshared, raised_limit: 99 },
    'ben',
    /raised by/,
  ],
  [
    'something lands where it is shared no more',
    'end',
    unshared,
    { ...unshared, changesets: landed.changesets },
    'ben',
    /landed by who/,
  ],
  [
    'somebody is made to lead where it is shared no more',
    'lead',
    unshared,
    start,
    'eve',
    /ada was made to lead/,
  ],
  ['it ends', 'end', start, { ...start, state: 'ended' }, 'ben', /ended by who does not lead/],
];
for (const [what, kind, before, after, author, words] of broken)
  test(`DST-1 BUD-2 against the rules: ${what}`, () => {
    const faults = judge(before, after, author);
    assert.ok(faults.length > 0);
    assert.ok(
      faults.every((fault) => fault.kind === kind),
      JSON.stringify(faults),
    );
    assert.match(faults[0]?.what ?? '', words);
  });

test('BUD-2 what such a step took from the budget counts as spent again, once, and not where it was booked', () => {
  const robbed: Session = { ...set, reservations: [], spent_on: {}, cost_usd: 0, raised_limit: 99 };
  const breach = { kind: 'budget' } as never;
  const seen = [{ breach, stood: { kind: 'session' as const, before: set, after: robbed } }];
  const mended = mendBudget(robbed, seen);
  assert.equal(
    (mended.reservations ?? []).map(({ agent, presumed }) => [agent, presumed]),
    [
      ['worker-b', true],
      ['worker-c', true],
    ],
  );
  assert.equal(
    [mended.cost_usd, mended.spent_on, mended.raised_limit],
    [1, start.spent_on, start.raised_limit],
  );
  assert.is(mendBudget(mended, seen), mended);
  const booked = mendBudget(addRun(robbed, run('worker-b')), seen);
  assert.equal(
    (booked.reservations ?? []).map(({ agent }) => agent),
    ['worker-c'],
  );
  assert.equal(judge(robbed, mended, 'cat'), [], 'no machine takes that for a step against the rules');
});

test('DST-1 BUD-2 a merge that keeps what both sides set aside is sound, one that drops it is not', () => {
  const [ours, theirs] = [reserved(start, 'worker-b', 'ben'), { ...start, title: 'Named' }];
  const step = { base: start, sides: [ours, theirs] };
  assert.equal(judgeSessionMerge({ ...step, merged: { ...ours, title: 'Named' } }), []);
  assert.is(judgeSessionMerge({ ...step, merged: theirs }).length, 1);
});

test('DST-1 TRU-2 a merge of which one side holds the session takes it from there, and makes nobody lead', () => {
  const { machines: none, ...bare } = start;
  const merge = (sides: readonly Session[], merged: Session): readonly string[] =>
    judgeSessionMerge({ base: null, sides, merged }).map(({ kind }) => kind);
  assert.equal(merge([start], start), []);
  assert.equal(merge([start], { ...start, raised_limit: 99 }), ['budget']);
  assert.equal(merge([start], led({ lead: 'eve', term: 2 })), ['lead']);
  assert.equal(merge([bare], { ...bare, ...(none === undefined ? {} : { machines: none }) }), ['lead']);
  assert.equal(merge([], start), ['lead']);
  assert.equal(merge([], bare), []);
});

test.run();
