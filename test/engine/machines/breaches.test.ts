import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machineDecision } from '../../../lib/core/decisions/decisions.ts';
import { claimJudging } from '../../../lib/core/machines/judging.ts';
import { presumed } from '../../../lib/core/schedule/budget-state.ts';
import { claimTask, completeTask, releaseTask } from '../../../lib/core/task/task-attempt.ts';
import { notEnded } from '../../../lib/core/task/task-tries.ts';
import { type AgentId, parseAgentId } from '../../../lib/domain/ids.ts';
import type { SeenBreach } from '../../../lib/domain/ports/sharing-port.ts';
import type { BreachKind } from '../../../lib/domain/state/breach.ts';
import type { Session } from '../../../lib/domain/state/session.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import type { Try } from '../../../lib/domain/state/tries.ts';
import { heedBreaches, takeAgain } from '../../../lib/engine/machines/heed-breaches.ts';
import { reserve } from '../../../lib/engine/machines/reserve.ts';
import { isTrusted } from '../../../lib/engine/machines/trusted.ts';
import type { Workshop } from '../../../lib/engine/workshop.ts';
import { makePrivateKey, publicKeyOf } from '../../../lib/util/machine-key.ts';
import { sharingLead } from '../../support/sharing-lead.ts';
import { makeOid } from '../../support/tasks.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const at = '2026-02-06T14:31:00.000Z';
const key = publicKeyOf(makePrivateKey());
const agentId = parseAgentId('worker-0000000b');

async function bench(config: Readonly<Record<string, unknown>> = {}): Promise<TestWorkshop> {
  const tasks = [{ id: 'a', title: 'Do a', description: 'Do it.', file_locks: ['src/a.txt'] }];
  return openTestWorkshop({ tasks, config, agent: () => ({}) });
}

type Stood = NonNullable<SeenBreach['stood']>;

function seen(kind: BreachKind, stood: Stood): SeenBreach {
  const facts = { v: 1, session: 'ses', machine: 'ben/1', by: 'eve/1', key } as const;
  return {
    breach: {
      ...facts,
      kind,
      task: stood.kind === 'task' ? 'a' : null,
      commit: '1'.repeat(40),
      ref: 'r',
      what: 'it lied',
    },
    stood,
  };
}

/** A workshop of a machine that has seen such steps. */
function watching(
  { workshop }: TestWorkshop,
  breaches: readonly SeenBreach[],
  role: 'lead' | 'worker' = 'lead',
): Workshop {
  const distrusted = new Set(breaches.map(({ breach }) => breach.key));
  const sharing = sharingLead({
    ...{ role, breaches: () => breaches, isDistrusted: (one) => distrusted.has(one) },
  });
  return { ...workshop, sharing };
}

async function taskIn({ said, session }: TestWorkshop): Promise<Task> {
  const [task] = (await said.snapshot()).tasksOf(session);
  if (task === undefined) throw new Error('no task');
  return task;
}

async function sessionIn({ said, session }: TestWorkshop): Promise<Session> {
  const found = (await said.snapshot()).sessions.find(({ id }) => id === session);
  if (found === undefined) throw new Error('no session');
  return found;
}

/** Has a task go through such steps, by somebody's push; answers how it stood before the last one and after it. */
async function push(made: TestWorkshop, ...steps: readonly ((task: Task) => Task)[]): Promise<Stood> {
  const stood: Task[] = [await taskIn(made)];
  for (const step of steps) {
    await made.said.transact((snapshot) => {
      const [task] = snapshot.tasksOf(made.session);
      return task === undefined ? null : { actor: 'eve', changes: [{ subject: 'x', tasks: [step(task)] }] };
    });
    stood.push(await taskIn(made));
  }
  const [before, after] = stood.slice(-2);
  if (before === undefined || after === undefined) throw new Error('no step');
  return { kind: 'task', before, after };
}

const claimed = (task: Task): Task =>
  claimTask(task, { agentId, worktree: null, at, claimedBy: 'Ben', host: 'ben/1' }).task;
const done = (task: Task): Task =>
  completeTask(task, {
    commit: makeOid('1'),
    start: makeOid('2'),
    branch: 'b',
    notes: '',
    at,
    cost: 0,
    tokens: 0,
  }).task;
const released = (task: Task): Task => releaseTask(task, { reason: 'x', at }).task;
const judged = (task: Task): Task => (task.status === 'done' ? claimJudging(task, 'ben/1').task : task);

test('DST-1 TRU-2 a result that the holder of the claim did not write is taken back by who leads, and named', async () => {
  const made = await bench();
  const stood = await push(made, claimed, done);
  await heedBreaches(watching(made, [seen('result', stood)]), made.session);
  const task = await taskIn(made);
  assert.equal([task.status, task.commit, task.claim], ['pending', null, 1]);
  assert.match(task.history.at(-1)?.notes ?? '', /it lied \(signed by eve\/1\)/);
  const told = made.events.find(({ event }) => event === 'machine-breach');
  assert.ok(told?.event === 'machine-breach');
  assert.match(told.message, /^a: it lied \(signed by eve\/1\)\. .*git flame machines$/);
});

test('DST-1 of thousands of steps against the rules the first of each kind, and of each key, are named, the rest is counted', async () => {
  const made = await bench();
  const stood = await push(made, claimed, done);
  const other = publicKeyOf(makePrivateKey());
  const many = Array.from({ length: 5_000 }, (_, at) => seen(at % 2 === 0 ? 'claim' : 'status', stood));
  const [last] = many.splice(-1);
  if (last === undefined) throw new Error('none');
  const all = [...many, { ...last, breach: { ...last.breach, key: other } }];
  const workshop = watching(made, []);
  const look = async (count: number): Promise<number> => {
    const before = made.events.length;
    const sharing = sharingLead({ breaches: () => all.slice(0, count) });
    await heedBreaches({ ...workshop, sharing }, made.session);
    return made.events.length - before;
  };
  assert.ok((await look(4_000)) < 20);
  assert.is(await look(4_500), 0, 'what was said a moment ago is not said again');
  assert.is(await look(5_000), 1, 'but who was not named before is');
  const told = made.events.flatMap((one) => (one.event === 'machine-breach' ? [one.key] : []));
  assert.equal([told.length, told.at(-1)], [11, other]);
  const counted = made.events.flatMap((one) => (one.event === 'notice' ? [one.message] : []));
  assert.is(counted.length, 1);
  assert.match(
    counted[0] ?? '',
    /^3,990 more steps .*claim: 1995, status: 1995.*git flame machines --breaches$/,
  );
});

test('DST-1 a claim that is none is released by who leads, and a judge that did not say so is put off', async () => {
  const made = await bench();
  const stood = await push(made, claimed);
  await heedBreaches(watching(made, [seen('claim', stood)]), made.session);
  assert.is((await taskIn(made)).status, 'pending');
  const judging = await push(made, claimed, done, judged);
  await heedBreaches(watching(await freshRun(made), [seen('judging', judging)]), made.session);
  assert.equal([(await taskIn(made)).status, (await taskIn(made)).judging?.machine], ['done', null]);
});

/** The same clone at its next start. */
async function freshRun(made: TestWorkshop): Promise<TestWorkshop> {
  return { ...made, workshop: { ...made.workshop, run: { ...made.workshop.run, heededBreaches: 0 } } };
}

test('DST-1 what became of it since stays, and a machine that does not lead moves no task', async () => {
  const made = await bench();
  const stood = await push(made, claimed, done);
  await heedBreaches(watching(made, [seen('result', stood)], 'worker'), made.session);
  assert.is((await taskIn(made)).status, 'done');
  const early = await bench();
  const before = await push(early, claimed);
  await push(early, released, claimed);
  await heedBreaches(watching(early, [seen('claim', before)]), early.session);
  assert.equal([(await taskIn(early)).status, (await taskIn(early)).claim], ['claimed', 2]);
});

test('DST-1 an agent whose claim was released against the rules takes it again where nobody has it, and no other does', async () => {
  const made = await bench();
  const stood = await push(made, claimed, released);
  const workshop = watching(made, [seen('release', stood)], 'worker');
  const agent = { id: agentId, session: made.session };
  assert.ok(await takeAgain(workshop, await taskIn(made), agent));
  const task = await taskIn(made);
  assert.equal([task.status, task.agent_id, task.claim, task.claimed_host], ['claimed', agentId, 2, 'ben/1']);
  const other = { ...agent, id: parseAgentId('worker-0000000c') };
  await push(made, released);
  assert.not(await takeAgain(workshop, await taskIn(made), other));
  assert.not(await takeAgain(watching(made, []), await taskIn(made), agent), 'a release by the rules is one');
});

test('DST-1 RND-4 of several attempts taken again, those that ended elsewhere meanwhile stay as they ended', async () => {
  const made = await bench();
  const [one, two, other] = ['b', 'c', 'd'].map((letter) => parseAgentId(`worker-0000000${letter}`));
  assert.ok(one && two && other);
  const open = (agent_id: AgentId): Try => ({ agent_id, adapter: 'exec', model: null, ...notEnded });
  const failed: Try = { ...open(other), ended: 'failed', notes: 'It failed.' };
  const withTries =
    (agent: AgentId, ...tries: readonly Try[]) =>
    (task: Task) =>
      claimTask(task, { agentId: agent, worktree: null, at, claimedBy: 'Ben', host: 'ben/1', tries }).task;
  const stood = await push(made, withTries(one, open(one), open(two)), released);
  await push(made, withTries(other, failed, open(other)), released);
  const workshop = watching(made, [seen('release', stood)], 'worker');
  const again = async (id: AgentId): Promise<boolean> =>
    takeAgain(workshop, await taskIn(made), { id, session: made.session });
  assert.equal([await again(one), (await taskIn(made)).status], [false, 'pending']);
  assert.ok(await again(two));
  assert.equal(
    (await taskIn(made)).tries?.map(({ agent_id, ended }) => [agent_id, ended]),
    [
      [other, 'failed'],
      [two, null],
    ],
  );
});

test('TRU-2 who broke a rule under its own key is trusted with nothing more, until the person says so anew', async () => {
  const made = await bench();
  const trusted = {
    machines: { ...made.workshop.config.machines, trusted: [{ key, roles: ['merge' as const] }] },
  };
  const named: TestWorkshop = {
    ...made,
    workshop: { ...made.workshop, config: { ...made.workshop.config, ...trusted } as never },
  };
  const decision = machineDecision({ id: made.session }, key, 'validate');
  made.workshop.origins.vouch([decision]);
  const stood = await push(made, claimed, done);
  const workshop = watching(named, [seen('result', stood)]);
  const may = (role: 'validate' | 'merge', one: Workshop = workshop): boolean =>
    isTrusted(one, { id: made.session }, { key, role });
  assert.ok(may('merge', watching(named, [])) && may('validate'));
  await heedBreaches(workshop, made.session);
  assert.equal([may('merge'), may('validate')], [false, false]);
  made.workshop.origins.vouch([decision]);
  assert.equal([may('merge'), may('validate')], [false, true]);
  const late = watching(await freshRun(named), [seen('release', stood)]);
  await heedBreaches(late, made.session);
  assert.ok(may('validate', late), 'how long somebody was silent is no proof against who says so');
});

test('TRU-2 a key that is named with a last day counts on that day, and on none after it', async () => {
  const made = await bench();
  const may = (until: string, now: string): boolean => {
    const trusted = [{ key, roles: ['merge' as const], until }];
    const config = { ...made.workshop.config, machines: { ...made.workshop.config.machines, trusted } };
    const workshop = { ...made.workshop, config, now: () => new Date(now) };
    return isTrusted(workshop, { id: made.session }, { key, role: 'merge' });
  };
  assert.equal(
    ['2026-02-06T23:59:59Z', '2026-02-07T00:00:00Z'].map((now) => may('2026-02-06', now)),
    [true, false],
  );
});

test('BUD-2 what was taken from the budget is counted before it is put back, and put back by the next that spends', async () => {
  const made = await bench({
    limits: { max_session_cost_usd: 1, token_budget: { worker_usd: 0.7 } },
  });
  const held = { agent: agentId, machine: 'ben/1', cost_usd: 0.6, tokens: 0 };
  const before: Session = { ...(await sessionIn(made)), reservations: [held] };
  const after = await sessionIn(made);
  const stop = new AbortController();
  const workshop = {
    ...watching(made, [seen('budget', { kind: 'session', before, after })], 'worker'),
    signal: stop.signal,
  };
  const share = await reserve(workshop, made.session, {
    agent: parseAgentId('worker-0000000a'),
    role: 'worker',
  });
  assert.ok((share?.budget.limit ?? 1) <= 0.4 + 1e-9, JSON.stringify(share));
  assert.equal(
    presumed(await sessionIn(made)).map(({ agent }) => agent),
    [agentId],
  );
  await heedBreaches(workshop, made.session);
  assert.is((await sessionIn(made)).reservations?.length, 2);
});

test.run();
