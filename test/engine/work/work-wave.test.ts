import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePlannerAnswer } from '../../../lib/domain/config/agent-answers.ts';
import { planSchema } from '../../../lib/domain/state/plan-schema.ts';
import { addTasks } from '../../../lib/engine/plan/add-tasks.ts';
import { listPlanProblems, readPlanBoundsAtCommit } from '../../../lib/engine/plan-problems.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { openAdmissionStore } from '../../../lib/store/admission/admission-store.ts';
import { openStore } from '../../../lib/store/open-store.ts';
import { until } from '../../support/until.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const ids = ['a', 'b', 'c', 'd'];

/** One agent at once on tasks that have nothing to do with each other. */
function openWave(): Promise<TestWorkshop> {
  return openTestWorkshop({
    tasks: ids.map((id) => ({ id, title: `Do ${id}`, description: '.', file_locks: [`src/${id}.txt`] })),
    config: { concurrency: { development: 1, adaptive: false } },
    agent: ({ worktree, task }) => {
      const file = join(worktree.path, `src/${task}.txt`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'work\n');
      return {};
    },
  });
}

/** Holds back what comes after a step until the wave has looked around in vain so often. */
function heldWave(
  { context, started }: TestWorkshop,
  hold: (context: RunContext, held: (task: string) => Promise<void>) => RunContext,
): { readonly context: RunContext; readonly startedMeanwhile: ReadonlyMap<string, number> } {
  const startedMeanwhile = new Map<string, number>();
  let waiting: (() => void)[] = [];
  let looks = 0;
  const held = async (task: string): Promise<void> => {
    looks = 0;
    await new Promise<void>((resolve) => waiting.push(resolve));
    startedMeanwhile.set(task, started.length);
  };
  const slow: RunContext = {
    ...context,
    machine: {
      ...context.machine,
      sleep: async (ms, signal) => {
        await context.machine.sleep(ms, signal);
        if (!signal.aborted) looks += 1;
        if (looks < 3) return;
        looks = 0;
        for (const go of waiting) go();
        waiting = [];
      },
    },
  };
  return { context: hold(slow, held), startedMeanwhile };
}

test('SCH-3 the next agent starts while the work of the last one is judged, and no more wait than there are agents', async () => {
  const wave = await openWave();
  const { context, startedMeanwhile } = heldWave(wave, (slow, held) => ({
    ...slow,
    git: {
      ...slow.git,
      importCell: async (cell, tip) => {
        await held(cell.path);
        await slow.git.importCell(cell, tip);
      },
    },
  }));
  await runWorkWave(context, wave.session);
  assert.is([...startedMeanwhile.values()][0], 2, 'one is judged, and the next one is at work');
  assert.equal(
    (await wave.said.snapshot()).tasksOf(wave.session).map(({ status }) => status),
    ids.map(() => 'done'),
  );
});

test('SCH-3 nobody waits for the worktree of accepted work to be removed', async () => {
  const wave = await openTestWorkshop({
    tasks: [
      { id: 'a', title: 'Do a', description: '.', file_locks: ['src/a.txt'] },
      { id: 'b', title: 'Do b', description: '.', file_locks: ['src/a.txt'], dependencies: ['a'] },
    ],
    agent: ({ worktree, task }) => {
      writeFileSync(join(worktree.path, 'src/a.txt'), `work of ${task}\n`);
      return {};
    },
  });
  const { context, startedMeanwhile } = heldWave(wave, (slow, held) => ({
    ...slow,
    git: {
      ...slow.git,
      discardCell: async (cell) => {
        await held(cell.path);
        await slow.git.discardCell(cell);
      },
    },
  }));
  await runWorkWave(context, wave.session);
  assert.is([...startedMeanwhile.values()][0], 2);
});

test('WRK-1 what failed in an earlier wave is not counted at the end of the next', async () => {
  const { context, session, events } = await openTestWorkshop({
    tasks: ['a', 'b'].map((id) => ({
      id,
      title: `Do ${id}`,
      description: '.',
      file_locks: [`src/${id}.txt`],
    })),
    config: { limits: { max_retries: 0 } },
    agent: ({ worktree, task }) => {
      if (task === 'b') writeFileSync(join(worktree.path, 'src/b.txt'), 'work\n');
      return {};
    },
  });
  for (const _ of [1, 2]) await runWorkWave(context, session);
  assert.equal(
    events.flatMap((event) => (event.event === 'wave-ended' ? [event.summary] : [])),
    ['1 done, 1 failed, 0 blocked', '1 done, 0 failed, 0 blocked'],
  );
});

test('SCH-3 a task that another process adds meanwhile begins at once', async () => {
  const wave = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: '.', file_locks: ['src/a.txt'] }],
    agent: ({ worktree, task }) => {
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      writeFileSync(join(worktree.path, `src/${task}.txt`), 'work\n');
      return {};
    },
  });
  const { context, session, started, repo } = wave;
  const agents: RunContext['agents'] = {
    ...context.agents,
    start: async (request, onActivity) => {
      const agent = await context.agents.start(request, onActivity);
      const mayEnd = until('the other one has begun', () => started.length > 1);
      return request.task === 'a' ? { ...agent, outcome: mayEnd.then(() => agent.outcome) } : agent;
    },
  };
  // No time passes: what is seen is seen by the refs.
  const sleep: RunContext['machine']['sleep'] = (_, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  const working = runWorkWave({ ...context, agents, machine: { ...context.machine, sleep } }, session);
  await until('the first one has begun', () => started.length === 1);
  const { commonDir, objectFormat } = context.git.repository;
  const storing = { context: { cwd: repo.path, env: repo.env }, commonDir, objectFormat };
  const other = await openStore(storing);
  const store = openAdmissionStore(other, { ...storing, decided: context.decided });
  const b = { id: 'b', title: 'Do b', description: '.', file_locks: ['src/b.txt'] };
  await addTasks({ ...context, store }, session, planSchema.parse({ tasks: [b] }).tasks);
  await other.close();
  await working;
  assert.equal(
    started.map((one) => one.task),
    ['a', 'b'],
  );
});

test('ADP-1 a group is worked on and judged by what the configuration says of it, and looked for before', async () => {
  const looked: string[] = [];
  const asked: string[] = [];
  const { context, session, said } = await openTestWorkshop({
    tasks: [
      { id: 'a', title: 'Do a', description: '.', cohesion_group: 'docs', file_locks: ['src/a.txt'] },
      { id: 'b', title: 'Do b', description: '.', file_locks: ['src/b.txt'] },
      {
        id: 'c',
        title: 'Do c',
        description: '.',
        cohesion_group: 'docs',
        file_locks: ['src/c.txt'],
        adapter: 'gemini',
      },
    ],
    config: {
      models: {
        groups: {
          docs: { worker: { adapter: 'kimi', model: 'kimi-k3' }, validator: { adapter: 'codex' } },
          // No task is in it: nothing of it has to be there.
          rest: { worker: { adapter: 'opencode', model: 'openai/gpt-5.5' } },
        },
      },
      limits: { max_retries: 0 },
    },
    agent: ({ worktree, task, role, adapter, model }) => {
      asked.push(`${role} ${task} ${adapter} ${model}`);
      if (role === 'validator') return { answer: { status: 'pass', notes: 'Fine.', issues: [] } };
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      writeFileSync(join(worktree.path, `src/${task}.txt`), 'work\n');
      return {};
    },
  });
  const agents = {
    ...context.agents,
    checkAdapter: async (name: string) => {
      looked.push(name);
      return '9.9.9';
    },
  };
  await runWorkWave({ ...context, agents }, session);
  assert.equal([...looked].sort(), ['gemini', 'kimi']);
  await runValidateWave({ ...context, agents }, session);
  assert.equal([...looked].sort(), ['codex', 'gemini', 'kimi']);
  assert.equal([...asked].sort(), [
    'validator a codex gpt-5.4-mini',
    'validator b claude haiku',
    'validator c codex gpt-5.4-mini',
    'worker a kimi kimi-k3',
    'worker b claude sonnet',
    'worker c gemini gemini-2.5-pro',
  ]);
  const snapshot = await said.snapshot();
  assert.equal(
    snapshot.tasksOf(session).map(({ status }) => status),
    ['done', 'done', 'done'],
  );
});

test('ADP-1 nobody chooses an adapter that the configuration does not offer, and a model is one of its CLI', async () => {
  const { context, session } = await openTestWorkshop({ tasks: [], agent: () => ({}) });
  const view = await viewSession(context, session);
  const bounds = await readPlanBoundsAtCommit(context, view.session.base_commit);
  const planned = { id: 'a', title: 'A', description: '.', file_locks: ['src/a.txt'] };
  const problems = (own: object) =>
    listPlanProblems(bounds, view, planSchema.parse({ tasks: [{ ...planned, ...own }] })).map(({ message }) => message);
  assert.equal(problems({}), []);
  assert.match(problems({ adapter: 'codex' })[0] ?? '', 'which this configuration does not offer');
  assert.match(problems({ adapter: 'exec' })[0] ?? '', 'which this configuration does not offer');
  assert.match(problems({ model: 'gpt-5.5' })[0] ?? '', 'names "gpt-5.5", a model of codex, and would run with claude');
  // What a model answers names neither.
  const answer = parsePlannerAnswer({ tasks: [{ ...planned, adapter: 'exec', model: 'gpt-5.5' }] });
  assert.equal(answer.kind === 'ok' && answer.value.tasks.map(({ adapter, model }) => [adapter, model]), [
    [null, null],
  ]);
});

test('EGR-2 the setup of a task that starts from work that has not landed is told the base', async () => {
  const made = await openTestWorkshop({
    tasks: [
      { id: 'a', title: 'Do a', description: '.', file_locks: ['src/a.txt'] },
      { id: 'b', title: 'Do b', description: '.', file_locks: ['src/b.txt'], dependencies: ['a'] },
    ],
    config: { project: { setup: ['true'] } },
    agent: ({ worktree, task }) => {
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      writeFileSync(join(worktree.path, `src/${task}.txt`), 'work\n');
      return {};
    },
  });
  const { context, session } = made;
  const told: unknown[] = [];
  const runCommand: RunContext['agents']['runCommand'] = (request) => {
    if (request.phase === 'setup') told.push(request.basedOn);
    return context.agents.runCommand(request);
  };
  const checks: string[] = [];
  const events: RunContext['events'] = {
    emit: (event) => {
      if (event.event === 'check') checks.push(`${event.about}: ${event.command} ${event.state}`);
      context.events.emit(event);
    },
  };
  await runWorkWave({ ...context, events, agents: { ...context.agents, runCommand } }, session);
  const { session: now } = await viewSession(context, session);
  assert.equal(told, [undefined, now.base_commit]);
  // A setup that takes minutes is seen while it runs.
  assert.equal(
    checks,
    ['a', 'b'].flatMap((id) => [`setup of ${id}: true started`, `setup of ${id}: true ended`]),
  );
});

test.run();
