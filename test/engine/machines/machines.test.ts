import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimTask, releaseTask } from '../../../lib/core/task/task-attempt.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseAgentId } from '../../../lib/domain/ids.ts';
import type { AgentRequest, AgentRunner } from '../../../lib/domain/ports/agent-port.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import type { RunEventBody, RunEventSink } from '../../../lib/domain/view-models/run-event.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { workForLeadMachine } from '../../../lib/engine/work-for-lead-machine.ts';
import type { TestRepo } from '../../support/repo.ts';
import { sharingLead } from '../../support/sharing-lead.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const tasks = ['a', 'b'].map((id) => ({
  ...{ id, title: `Do ${id}`, description: 'Do it.', file_locks: [`src/${id}.txt`] },
}));

/** As several machines share a session, of which this one is alone at the moment. */
const alone = sharingLead({ isGone: (machine) => machine === 'gone/1' });

function sessionIn(repo: TestRepo, id: string): Session {
  const key = repo.git('rev-parse', `refs/blueflame/sessions:anchors/${id}`);
  return JSON.parse(repo.git('show', `refs/blueflame/sessions:${key.slice(0, 2)}/${key.slice(2)}`));
}

function write({ worktree, task }: AgentRequest): void {
  mkdirSync(join(worktree.path, 'src'), { recursive: true });
  writeFileSync(join(worktree.path, `src/${task}.txt`), 'done\n');
}

test('BUD-2 UNI-8 an agent starts with its share set aside, and what it did not spend is given back', async () => {
  const seen: { readonly budget: number; readonly held: number }[] = [];
  const bench = await openTestWorkshop({
    tasks,
    config: {
      concurrency: { development: 2, adaptive: false },
      limits: { max_session_cost_usd: 1, token_budget: { worker_usd: 0.7 } },
    },
    agent: (request) => {
      const { cost_usd, reservations = [] } = sessionIn(bench.repo, bench.session);
      const held = reservations.reduce((sum, one) => sum + one.cost_usd, cost_usd);
      seen.push({ budget: request.budget.limit, held });
      assert.ok(reservations.some(({ agent }) => agent === request.id));
      write(request);
      return { cost_usd: 0.2 };
    },
  });
  await runWorkWave({ ...bench.context, remoteSession: alone }, bench.session);
  assert.is(seen.length, 2);
  assert.ok(seen.every(({ held }) => held <= 1 + 1e-9));
  const { cost_usd, reservations } = sessionIn(bench.repo, bench.session);
  assert.equal([cost_usd, reservations], [0.4, undefined]);
});

const other = parseAgentId('worker-0000000b');

/** As another machine does that gave this one up. */
function takeOver({ said, session }: Awaited<ReturnType<typeof openTestWorkshop>>): Promise<unknown> {
  return said.transact((snapshot) => {
    const [task] = snapshot.tasksOf(session);
    if (task === undefined) return null;
    const at = '2026-02-06T14:31:00.000Z';
    const given = releaseTask(task, { reason: 'no sign of life', at });
    const claimedBy = 'Ben <ben@example.com>';
    const taken = claimTask(given.task, { agentId: other, worktree: null, at, claimedBy, host: 'other/1' });
    return {
      actor: 'ben',
      changes: [given, taken].map((step) => ({ subject: step.subject, tasks: [step.task] })),
    };
  });
}

test('DST-1 who was given up while it worked changes nothing: it is said, and its work is kept', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request) => {
      write(request);
      void takeOver(bench);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  const told = bench.events.find(({ event }) => event === 'result-superseded');
  assert.ok(told?.event === 'result-superseded');
  assert.match(told.message, /worker-0000000b has it now on other\/1/);
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.agent_id, task.claim, task.commit], ['claimed', other, 2, null]);
  assert.match(bench.repo.git('for-each-ref', 'refs/blueflame/rescue/'), /\/a\/1$/);
});

/** An agent that works until it is stopped, and leaves a file. */
function endless(bench: Awaited<ReturnType<typeof openTestWorkshop>>, onStart: () => void): AgentRunner {
  return {
    ...bench.context.agents,
    start: async (request) => {
      if (!request.isReadOnly) write(request);
      onStart();
      let stop = (): void => undefined;
      const stopped = new Promise<void>((resolve) => {
        stop = resolve;
      });
      const failure = { kind: 'agent-stopped', message: 'Stopped.', details: [], retryable: false } as const;
      const told = { exitCode: null, answer: null, text: '', cost_usd: 0, tokens: 0, duration_ms: 0 };
      const audit = { allowed: 0, blocked: 0, top: [] };
      return {
        id: request.id,
        pid: 1,
        outcome: stopped.then(() => ({ ...told, failure, audit, logFile: '' })),
        stop: async () => stop(),
      };
    },
  };
}

/** Stops the wave at an event, which is reported like all. */
function until(
  { context }: Awaited<ReturnType<typeof openTestWorkshop>>,
  name: RunEventBody['event'],
  stop: AbortController,
): RunEventSink {
  return {
    emit: (event) => {
      context.events.emit(event);
      if (event.event === name) stop.abort();
    },
  };
}

test('DST-1 DST-2 a holder that is cut off ends its agents before its lease does, says so, and loses no work', async () => {
  const stop = new AbortController();
  const bench = await openTestWorkshop({ tasks: tasks.slice(0, 1), stop: stop.signal, agent: () => ({}) });
  let isCutOff = false;
  const remoteSession = { ...alone, isCutOff: () => isCutOff };
  const agents = endless(bench, () => {
    isCutOff = true;
  });
  // One attempt is enough: it would be tried again once the remote is back.
  const events = until(bench, 'task-failed', stop);
  await runWorkWave({ ...bench.context, agents, events, remoteSession }, bench.session).catch(() => undefined);
  const failed = bench.events.find(({ event }) => event === 'task-failed');
  assert.ok(failed?.event === 'task-failed');
  assert.equal([failed.failure.kind, failed.will_retry], ['agent-stopped', true]);
  assert.match(failed.failure.message, /origin accepted no heartbeat of this machine/);
  assert.ok(
    bench.events.some((event) => event.event === 'notice' && /was stopped: origin accepted/.test(event.message)),
  );
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.retry_count], ['pending', 0], 'no attempt is used up');
  const [cell] = await bench.context.git.cells();
  assert.ok(cell !== undefined && existsSync(join(cell.path, 'src/a.txt')), 'what it wrote stays');
});

test('BUD-2 DST-1 so does it with one that validates, which starts again once the remote is back and counts as no try', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request) => {
      if (request.role === 'validator') return { answer: { status: 'pass', notes: 'Good.', issues: [] } };
      write(request);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  const { agents } = bench.context;
  // Cut off three times, each for some looks.
  let [cuts, looks] = [0, 0];
  const remoteSession = { ...alone, isCutOff: () => looks-- > 0 };
  const endlessly = endless(bench, () => {
    cuts += 1;
    looks = 5;
  });
  const start: AgentRunner['start'] = (...asked) => (cuts < 3 ? endlessly : agents).start(...asked);
  await runValidateWave({ ...bench.context, agents: { ...agents, start }, remoteSession }, bench.session);
  const ends = bench.events.flatMap((event) =>
    event.event === 'agent-ended' && event.role === 'validator' ? [event.outcome] : [],
  );
  assert.equal(ends, [...Array(3).fill('agent-stopped'), 'ended']);
  const said = bench.events.flatMap((event) => (event.event === 'notice' ? [event.message] : []));
  assert.is(said.filter((text) => /^validator-\w+ was stopped: origin accepted no heartbeat/.test(text)).length, 3);
  assert.is(said.filter((text) => /no verdict/.test(text)).length, 0);
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.result.status, task.retry_count], ['done', 'pass', 0]);
});

test('BUD-2 DST-1 what a machine had set aside that is given up counts as spent at once, and is said', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request) => {
      write(request);
      return {};
    },
  });
  await bench.said.transact((snapshot) => {
    const session = snapshot.sessions.find(({ id }) => id === bench.session);
    if (session === undefined) return null;
    const held = { cost_usd: 0.7, tokens: 0 };
    const reservations = ['gone/1', 'here/2'].map((machine, at) => ({
      ...{ agent: `worker-0000000${at}`, machine },
      ...held,
    }));
    return { actor: 'ben', changes: [{ subject: 'set aside', session: { ...session, reservations } }] };
  });
  await runWorkWave({ ...bench.context, remoteSession: alone }, bench.session);
  const { reservations = [] } = sessionIn(bench.repo, bench.session);
  assert.equal(
    reservations.map(({ machine, presumed }) => [machine, presumed]),
    [
      ['gone/1', true],
      ['here/2', undefined],
    ],
  );
  assert.ok(
    bench.events.some(
      (event) =>
        event.event === 'notice' &&
        /\$0\.70 reserved for worker-00000000 on gone\/1 count as spent/.test(event.message),
    ),
  );
});

test('DST-1 an agent whose task passed on while its machine was away is ended, and its work is a rescue', async () => {
  const stop = new AbortController();
  const bench = await openTestWorkshop({ tasks: tasks.slice(0, 1), stop: stop.signal, agent: () => ({}) });
  const agents = endless(bench, () => void takeOver(bench));
  const events = until(bench, 'result-superseded', stop);
  await runWorkWave({ ...bench.context, agents, events, remoteSession: alone }, bench.session).catch(() => undefined);
  assert.ok(
    bench.events.some(
      (event) =>
        event.event === 'notice' &&
        /was stopped: Its claim of a was released, and a is now on other\/1/.test(event.message),
    ),
  );
  assert.ok(bench.events.some(({ event }) => event === 'result-superseded'));
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.agent_id, task.claim], ['claimed', other, 2]);
  assert.match(bench.repo.git('for-each-ref', 'refs/blueflame/rescue/'), /\/a\/1$/);
});

test('DST-1 a machine that joined without a CLI that some tasks ask for does the others, says so, and fails none of them', async () => {
  const stop = new AbortController();
  const bench = await openTestWorkshop({
    tasks: [...tasks.slice(0, 1), ...tasks.slice(1).map((task) => ({ ...task, adapter: 'codex' }))],
    stop: stop.signal,
    onEvent: (event) => {
      if (event.event === 'task-changed' && event.to !== 'claimed') stop.abort();
    },
    agent: (request) => {
      write(request);
      return {};
    },
  });
  const { context } = bench;
  const message = 'There is no codex on this machine.';
  const checkAdapter = async (name: string): Promise<string> => {
    if (name === 'codex') throw new FlameError({ kind: 'environment', code: 'no-adapter', message });
    return '1.0.0';
  };
  const agents = { ...context.agents, checkAdapter };
  const remoteSession = sharingLead({ role: 'worker', roles: ['work'] });
  await workForLeadMachine({ ...context, agents, remoteSession }, bench.session).catch(() => undefined);
  const told = bench.events.flatMap((one) => (one.event === 'notice' ? [one.message] : []));
  assert.ok(
    told.some((text) => /^Other machines do the tasks that run with codex \S+: There is no codex/.test(text)),
    told.join('\n'),
  );
  const statuses = (await bench.said.snapshot()).tasksOf(bench.session).map(({ id, status }) => [id, status]);
  assert.equal(Object.fromEntries(statuses), { a: 'done', b: 'pending' });
});

test('DST-1 who joined and has nothing to do says once what it waits for', async () => {
  const stop = new AbortController();
  let looks = 0;
  const bench = await openTestWorkshop({ tasks: [], stop: stop.signal, agent: () => ({}) });
  const remoteSession = sharingLead({ role: 'worker', roles: ['work'] });
  const { machine } = bench.context;
  const sleep: typeof machine.sleep = (ms, signal) => {
    looks += 1;
    if (looks > 5) stop.abort();
    return machine.sleep(ms, signal);
  };
  const context = { ...bench.context, remoteSession, machine: { ...machine, sleep } };
  await workForLeadMachine(context, bench.session).catch(() => undefined);
  const told = bench.events.flatMap((one) => (one.event === 'notice' ? [one.message] : []));
  assert.is(told.length, 1, told.join('\n'));
  assert.match(told[0] ?? '', /^No task for this machine now\. It waits for .* stops with the session/);
});

test('DST-1 what a machine holds that is given up passes on', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request) => {
      write(request);
      return {};
    },
  });
  const claim = { worktree: null, at: '2026-02-06T14:30:00.000Z', claimedBy: 'Ben <ben@example.com>' };
  await bench.said.transact((snapshot) => ({
    actor: 'ben',
    changes: snapshot.tasksOf(bench.session).map((task) => {
      const step = claimTask(task, { ...claim, agentId: parseAgentId('worker-0000000b'), host: 'gone/1' });
      return { subject: step.subject, tasks: [step.task] };
    }),
  }));
  // What machines of a session they share did counts, see isDecisionTrustedWhenShared.
  const { decided } = bench.context;
  const shared = {
    ...decided,
    has: (decision: Parameters<typeof decided.has>[0]) => decided.has(decision) || decision.kind === 'standing',
  };
  bench.admitBy({ decided: shared });
  await runWorkWave({ ...bench.context, decided: shared, remoteSession: alone }, bench.session);
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.claim, task.claimed_host], ['done', 2, 'here']);
  assert.ok(bench.events.some(({ event }) => event === 'claim-passed-on'));
});

test.run();
