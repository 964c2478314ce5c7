import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimTask, releaseTask } from '../../../lib/core/task/task-attempt.ts';
import { parseAgentId } from '../../../lib/domain/ids.ts';
import type { AgentRequest } from '../../../lib/domain/ports/agent-port.ts';
import type { Sharing } from '../../../lib/domain/ports/sharing-port.ts';
import type { Session } from '../../../lib/domain/state/session.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import { workWave } from '../../../lib/engine/work/work-wave.ts';
import type { TestRepo } from '../../support/repo.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const tasks = ['a', 'b'].map((id) => ({
  ...{ id, title: `Do ${id}`, description: 'Do it.', file_locks: [`src/${id}.txt`] },
}));

/** As several machines share a session, of which this one is alone at the moment. */
const alone: Sharing = {
  ...{ remote: 'origin', role: 'lead', machine: 'here', isEntered: false },
  enter: () => undefined,
  machines: () => [],
  isGone: (machine) => machine === 'gone/1',
  bring: async () => undefined,
  tipOf: async () => null,
  look: async () => undefined,
};

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
  await workWave({ ...bench.workshop, sharing: alone }, bench.session);
  assert.is(seen.length, 2);
  assert.ok(seen.every(({ held }) => held <= 1 + 1e-9));
  const { cost_usd, reservations } = sessionIn(bench.repo, bench.session);
  assert.equal([cost_usd, reservations], [0.4, undefined]);
});

test('DST-1 who was given up while it worked changes nothing: it is said, and its work is kept', async () => {
  const agent = parseAgentId('worker-0000000b');
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request) => {
      write(request);
      void bench.said.transact((snapshot) => {
        const [task] = snapshot.tasksOf(bench.session);
        if (task === undefined) return null;
        const at = '2026-02-06T14:31:00.000Z';
        const given = releaseTask(task, { reason: 'no sign of life', at });
        const claim = {
          agentId: agent,
          worktree: null,
          at,
          claimedBy: 'Ben <ben@example.com>',
          host: 'other/1',
        };
        const taken = claimTask(given.task, claim);
        return {
          actor: 'ben',
          changes: [given, taken].map((step) => ({ subject: step.subject, tasks: [step.task] })),
        };
      });
      return {};
    },
  });
  await workWave(bench.workshop, bench.session);
  const told = bench.events.find(({ event }) => event === 'result-superseded');
  assert.ok(told?.event === 'result-superseded');
  assert.match(told.message, /worker-0000000b has it now on other\/1/);
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.agent_id, task.claim, task.commit], ['claimed', agent, 2, null]);
  assert.match(bench.repo.git('for-each-ref', 'refs/blueflame/rescue/'), /\/a\/1$/);
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
  // What machines of a session they share did counts, see countsWhenShared.
  const { origins } = bench.workshop;
  const shared = {
    ...origins,
    has: (decision: Parameters<typeof origins.has>[0]) =>
      origins.has(decision) || decision.kind === 'standing',
  };
  await workWave({ ...bench.workshop, origins: shared, sharing: alone }, bench.session);
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session) as readonly [Task];
  assert.equal([task.status, task.claim, task.claimed_host], ['done', 2, 'here']);
  assert.ok(bench.events.some(({ event }) => event === 'claim-passed-on'));
});

test.run();
