import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeTaskMerge } from '../../../lib/core/machines/judge-merge.ts';
import { judgeTaskStep, type StepAuthor } from '../../../lib/core/machines/judge-task-step.ts';
import { claimJudging, releaseJudging } from '../../../lib/core/machines/judging.ts';
import { claimTask, completeTask, failTask, releaseTask } from '../../../lib/core/task/task-attempt.ts';
import { judgeTask, mergeTask } from '../../../lib/core/task/task-outcome.ts';
import { requeueTask, restartTask, retryTask } from '../../../lib/core/task/task-return.ts';
import type { AgentId } from '../../../lib/domain/ids.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import { makeRandom } from '../../support/random.ts';
import {
  alterTask,
  testTime as at,
  makeFailure,
  makeOid,
  makeTask,
  makeVerdict,
  type TaskFields,
} from '../../support/tasks.ts';

const cost = { cost: 0, tokens: 0 };

/** A step that this machine signed, where all of them are known to sign, give signs of life, and ada leads. */
function by(machine: string | null, alive: readonly string[] = ['ada', 'ben', 'eve']): StepAuthor {
  return {
    isBy: (one) => one === machine,
    isByLead: machine === 'ada',
    isAlive: (one) => alive.includes(one),
  };
}

function claimFor(task: Task, host: string, agent = `worker-of-${host}`): Task {
  return claimTask(task, { agentId: agent as AgentId, worktree: null, at, claimedBy: host, host }).task;
}

function doneBy(task: Task, commit = makeOid('c')): Task {
  const work = { commit, start: makeOid('5'), branch: 'b', notes: '', at, ...cost };
  return completeTask(task, work).task;
}

const open = makeTask('task-001');
const held = claimFor(open, 'ben');
const done = doneBy(held);
const judged = claimJudging(done as never, 'ben').task;

const sound: readonly (readonly [string, Task | null, Task, string | null])[] = [
  ['a new task', null, open, 'ben'],
  ['a claim of its own', open, held, 'ben'],
  ['its result', held, done, 'ben'],
  [
    'the work of one of several agents of its claim',
    { ...held, tries: [{ agent_id: 'worker-two' }] } as never,
    { ...done, agent_id: 'worker-two' as AgentId } as Task,
    'ben',
  ],
  ['its failure', held, failTask(held, { failure: makeFailure(), at, ...cost }).task, 'ben'],
  ['its claim given back', held, releaseTask(held, { reason: 'x', at }).task, 'ben'],
  ['a claim that the lead releases', held, releaseTask(held, { reason: 'x', at }).task, 'ada'],
  ['work that the lead sends back', done, requeueTask(done, { kind: 'restart', at }).task, 'ada'],
  ['a landing of the lead', done, mergeTask(done, { into: 'main' }).task, 'ada'],
  ['a verdict', done, judgeTask(done, makeVerdict(done as never, 'pass')).task, 'eve'],
  ['a claim to judge', done, claimJudging(done as never, 'eve').task, 'eve'],
  ['that given back', judged, releaseJudging(judged as never, 'x').task, 'ben'],
  ['what is asked of it changed', held, { ...held, title: 'Another' }, null],
];

for (const [what, before, after, author] of sound)
  test(`DST-1 sound: ${what}`, () => assert.equal(judgeTaskStep(before, after, by(author)), []));

test('DST-1 sound: a claim of who may have been given up, released by another one', () => {
  assert.equal(judgeTaskStep(held, releaseTask(held, { reason: 'x', at }).task, by('eve', ['ada'])), []);
});

const taken = { ...claimFor(open, 'eve'), claim: 2 };
const broken: readonly (readonly [
  string,
  string,
  string | null,
  Task | null,
  Task,
  string | null,
  RegExp,
])[] = [
  [
    'a claim number that is too high',
    'claim',
    'eve',
    open,
    { ...claimFor(open, 'eve'), claim: 9 },
    'eve',
    /claim 9 follows claim 0/,
  ],
  [
    'a claim taken from its holder',
    'claim',
    'ben',
    held,
    taken,
    'eve',
    /worker-of-eve on eve took the claim of worker-of-ben on ben/,
  ],
  [
    'a claim in the name of another machine',
    'claim',
    'ben',
    open,
    held,
    'eve',
    /claimed for ben, which did not do that/,
  ],
  ['the same, unsigned', 'claim', 'ben', open, held, null, /did not do that/],
  [
    'a claim number set back',
    'claim',
    null,
    { ...open, claim: 3 } as Task,
    { ...open, claim: 1 } as Task,
    'ada',
    /from 3 back to 1/,
  ],
  [
    'a claim number raised without a claim',
    'claim',
    null,
    open,
    { ...open, claim: 1 } as Task,
    'eve',
    /came without being claimed/,
  ],
  [
    'a result under the claim of another machine',
    'result',
    'ben',
    held,
    done,
    'eve',
    /claimed -> done under the claim of worker-of-ben on ben/,
  ],
  ['the same by who leads', 'result', 'ben', held, done, 'ada', /which did not do that/],
  [
    'a result of another agent under its own claim',
    'result',
    'ben',
    held,
    { ...done, agent_id: 'worker-x' as AgentId } as Task,
    'ben',
    /claimed -> done/,
  ],
  [
    'a failure under the claim of another machine',
    'result',
    'ben',
    held,
    failTask(held, { failure: makeFailure(), at, ...cost }).task,
    null,
    /claimed -> failed/,
  ],
  [
    'a result under no claim',
    'result',
    null,
    open,
    { ...done, claim: undefined } as never,
    'eve',
    /pending -> done, under no claim/,
  ],
  [
    'other work in the place of what was accepted',
    'result',
    null,
    done,
    { ...done, commit: makeOid('d') } as Task,
    'ben',
    /done -> done/,
  ],
  [
    'a release of a claim whose holder lives',
    'release',
    'ben',
    held,
    releaseTask(held, { reason: 'x', at }).task,
    'eve',
    /released, which gave signs of life/,
  ],
  [
    'a landing of who does not lead',
    'end',
    null,
    done,
    mergeTask(done, { into: 'main' }).task,
    'ben',
    /does not lead/,
  ],
  [
    'a change there is not',
    'status',
    null,
    makeTask('task-001', { status: 'dropped' }),
    open,
    'ben',
    /dropped -> pending/,
  ],
  ['a new task that is claimed', 'claim', 'ben', null, held, 'eve', /did not do that/],
  ['a judge in the name of another machine', 'judging', 'ben', done, judged, 'eve', /which did not say so/],
  [
    'a judge taken from another one',
    'judging',
    'ben',
    judged,
    claimJudging(judged as never, 'eve').task,
    'eve',
    /took from ben/,
  ],
  ['its number set back', 'judging', 'ben', judged, done, 'eve', /back to 0/],
  [
    'a judge put off who lives',
    'release',
    'ben',
    judged,
    releaseJudging(judged as never, 'x').task,
    'eve',
    /taken from ben to judge it/,
  ],
];

for (const [what, kind, machine, before, after, author, words] of broken)
  test(`DST-1 against the rules: ${what}`, () => {
    const faults = judgeTaskStep(before, after, by(author));
    assert.is(faults.length, 1, JSON.stringify(faults));
    assert.equal([faults[0]?.kind, faults[0]?.machine], [kind, machine]);
    assert.match(faults[0]?.what ?? '', words);
  });

test('DST-1 of a machine that is not known to sign nothing is said but what numbers and agents show', () => {
  const unknown: StepAuthor = { isBy: () => true, isByLead: true, isAlive: () => true };
  assert.equal(judgeTaskStep(open, held, unknown), []);
  assert.equal(judgeTaskStep(held, releaseTask(held, { reason: 'x', at }).task, unknown), []);
  assert.is(judgeTaskStep(held, taken, unknown).length, 1);
});

/** One of the steps that a machine can do with a task as it is, or null. */
function anyStep(task: Task, random: ReturnType<typeof makeRandom>): readonly [Task, string] | null {
  const machine = random.pick(['ada', 'ben', 'eve']);
  const holder = task.claimed_host ?? '';
  switch (task.status) {
    case 'pending':
      return [claimFor(task, machine, `worker-${random.int(1, 1e6)}`), machine];
    case 'claimed': {
      const failed = failTask(task, { failure: makeFailure(), at, ...cost }).task;
      const next = random.pick([doneBy(task, makeOid(`${random.int(1, 9)}`)), failed]);
      return random.chance(0.3) ? [releaseTask(task, { reason: 'x', at }).task, holder] : [next, holder];
    }
    case 'failed':
      return [retryTask(task, { notBefore: null, at }).task, holder];
    case 'requeued':
      return [restartTask(task).task, 'ada'];
    case 'done': {
      const judge = task.judging?.machine ?? null;
      const sentBack = requeueTask(task, { kind: 'restart', at }).task;
      if (judge !== null) return [releaseJudging(task, 'x').task, judge];
      return random.chance(0.4) ? [claimJudging(task, machine).task, machine] : [sentBack, 'ada'];
    }
    default:
      return null;
  }
}

test('DST-1 whatever machines do to a task by the rules, in any order, is found sound', () => {
  const random = makeRandom(11);
  for (let run = 0; run < 200; run += 1) {
    let task: Task = makeTask('task-001');
    for (let step = 0; step < 30; step += 1) {
      const next = anyStep(task, random);
      if (next === null) break;
      const [after, author] = next;
      assert.equal(judgeTaskStep(task, after, by(author)), [], `${task.status} -> ${after.status}`);
      task = after;
    }
  }
});

const merge = (base: Task | null, sides: readonly Task[], merged: Task) =>
  judgeTaskMerge({ base, sides, merged });
const edited = { ...open, title: 'Edited' };

test('DST-1 a merge that takes the side which counts is sound', () => {
  assert.is(merge(open, [held, edited], { ...held, title: 'Edited' }), null);
  assert.is(merge(open, [edited, edited], edited), null);
  assert.is(merge(held, [done, { ...held, priority: 2 }], { ...done, priority: 2 }), null);
});

const aside: Partial<TaskFields> = { claim: 2, claimed_host: 'eve', agent_id: 'worker-of-eve' as AgentId };
for (const [what, base, sides, merged] of [
  ['takes what neither side has', open, [held, edited], done],
  ['takes the side that does not count', open, [held, edited], edited],
  ['brings a claim that was made aside', open, [held, alterTask(held, aside)], alterTask(held, aside)],
] as const)
  test(`DST-1 against the rules: a merge that ${what}`, () => assert.ok(merge(base, sides, merged)));

test.run();
