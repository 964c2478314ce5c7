import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boardAddress, type TestBoard, visitBoard } from '../support/board.ts';
import { type ClaudeProject, closeProjects, openClaudeProject } from '../support/claude-project.ts';
import { type ScriptTask, writePlan } from '../support/exec-project.ts';
import type { FlameRun } from '../support/flame.ts';
import { answerGate, nextGate } from '../support/gates.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { roleOf, taskOf } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { programEnd, startProgram } from '../support/program.ts';
import { testIf } from '../support/skip.ts';

// The questions that only runs with paid agents, or with work that failed, ask: each answered on the board of its run.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

type Tab = Pick<TestBoard, 'ask' | 'until'>;

/** A run without a terminal, whose plan is approved on its board; how it ended. */
async function runOnBoard(
  { repo, env }: ClaudeProject,
  tasks: readonly ScriptTask[],
  answer: (tab: Tab) => Promise<void>,
): Promise<FlameRun> {
  const from = tasks.length === 0 ? [] : ['Do it', '--from', writePlan(repo, tasks)];
  const child = startProgram(repo, ['run', ...from, '--web', '--no-open'], { env });
  const ended = programEnd(child);
  try {
    const tab = visitBoard(await boardAddress(child));
    if (tasks.length > 0) assert.is(await answerGate(tab, await nextGate(tab, 'plan'), { kind: 'approve' }), '');
    await answer(tab);
    return await ended;
  } finally {
    child.kill('SIGKILL');
  }
}

/** The next question of a kind is answered, and that counts. */
async function answerNext(tab: Tab, kind: Parameters<typeof nextGate>[1], answer: object, seen = ''): Promise<string> {
  const gate = await nextGate(tab, kind, seen);
  assert.is(await answerGate(tab, gate, answer), '');
  return gate.id;
}

function write(task: string, turn: number): Reply {
  const path = `src/${task}.txt`;
  const command = `git add ${path} && git commit -q -m "${task}"`;
  const steps: readonly Reply[] = [
    { tool: 'Write', input: { file_path: path, content: `${task}\n` } },
    { tool: 'Bash', input: { command, description: 'commit' } },
  ];
  return steps[turn - 1] ?? { text: 'It is committed.' };
}

// An agent that goes round in circles for ever.
const lookAround: Reply = {
  ...{ tool: 'Bash', input: { command: 'ls', description: 'look' } },
  usage: { input_tokens: 9_900, output_tokens: 100 },
};

function task(number: number, more: Partial<ScriptTask> = {}): ScriptTask {
  const id = `task-00${number}`;
  const locks = [`src/${id}.txt`];
  return { id, script: 'Write it.', locks, group: `group-${number}`, priority: number, ...more };
}

const noValidator = { roles: { validator: { adapter: 'none' } } };

/** Whether that is among what the board warns of while such a question is open. */
async function warnsAt(tab: Tab, gate: string, words: string): Promise<boolean> {
  const { notices } = await tab.until((state) => state.gate?.asks.gate === gate);
  return notices.some((notice) => notice.includes(words));
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'board-gates: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('BUD-2 DSK-1 a spent session is stopped or raised on the board, and goes on with what was left', async () => {
    const project = await openClaudeProject({
      config: {
        ...noValidator,
        concurrency: { development: 1 },
        limits: { max_session_tokens: 45_000, max_retries: 0, token_budget: { worker_usd: 0 } },
      },
      script: (request) => {
        const id = taskOf(request) ?? '';
        return id === 'task-001' ? lookAround : write(id, request.turn);
      },
    });
    const { repo, model } = project;
    const stopped = await runOnBoard(project, [task(1), task(2)], async (tab) => {
      const gate = await nextGate(tab, 'budget');
      assert.equal(gate.asks, { gate: 'budget', spent: 40_000, limit: 45_000, unit: 'tokens' });
      assert.match(await answerGate(tab, gate, { kind: 'raise', amount: 0.5 }), 'tokens are a whole number');
      assert.is(await answerGate(tab, gate, { kind: 'stop' }), '');
    });
    assert.is(stopped.code, 1, stopped.stderr);
    assert.match(stopped.stdout, 'stopped');
    assert.is(model.requests.length, 4);
    const raised = await runOnBoard(project, [], async (tab) => {
      assert.ok(await warnsAt(tab, 'budget', "of the session's budget is spent"));
      await answerNext(tab, 'budget', { kind: 'raise', amount: 50_000 });
      assert.not(await warnsAt(tab, 'changesets', "of the session's budget is spent"));
      await answerNext(tab, 'changesets', { kind: 'approve' });
      await answerNext(tab, 'session', { kind: 'stop' });
    });
    assert.is(raised.code, 1, raised.stderr);
    assert.match(raised.stderr, 'Decided on the board: the budget, raised by 50000.');
    assert.is(model.requests.filter((request) => taskOf(request) === 'task-002').length, 3);
    assert.throws(() => repo.git('show', 'main:src/task-001.txt'));
    assert.is(repo.git('show', 'main:src/task-002.txt'), 'task-002');
  });

  live('VAL-4 DSK-1 where no validator judges, the board asks for another, then passes it by hand', async () => {
    let asked = 0;
    const project = await openClaudeProject({
      script: (request) => {
        if (roleOf(request) === 'validator' && request.turn === 1) asked += 1;
        return { text: 'I cannot say.' };
      },
    });
    const { repo } = project;
    const before: number[] = [];
    const script = 'echo 1 > src/task-001.txt';
    const run = await runOnBoard(project, [task(1, { script, adapter: 'exec' })], async (tab) => {
      const gate = await nextGate(tab, 'validator_failed');
      before.push(asked);
      const { value } = await tab.ask(`/api/gate/${gate.id}/diff`);
      assert.match(JSON.stringify(value), '+1');
      assert.is(await answerGate(tab, gate, { kind: 'retry' }), '');
      const again = await nextGate(tab, 'validator_failed', gate.id);
      before.push(asked);
      assert.ok(await warnsAt(tab, 'validator_failed', 'no verdict'));
      assert.is(await answerGate(tab, again, { kind: 'pass', notes: 'I read it.' }), '');
      assert.not(await warnsAt(tab, 'changesets', 'no verdict'));
      await answerNext(tab, 'changesets', { kind: 'approve' });
    });
    assert.is(run.code, 0, run.stderr);
    // Two of its own, and the one more that was asked for.
    assert.equal([...before, asked], [2, 3, 3]);
    assert.match(run.stdout, '1 of 1 task done, 1 landed');
    assert.is(repo.git('show', 'main:src/task-001.txt'), '1');
  });

  live('DSK-1 a cycle that leaves only failed work: the board has it tried again, or ends the session', async () => {
    const project = await openClaudeProject({
      config: {
        ...noValidator,
        roles: { validator: { adapter: 'none' }, worker: { adapter: 'exec' } },
        limits: { max_retries: 0 },
      },
      script: () => ({ text: 'nobody' }),
    });
    const { repo } = project;
    const script = 'cp given.txt src/task-001.txt';
    const run = await runOnBoard(project, [task(1, { script })], async (tab) => {
      const gate = await nextGate(tab, 'session');
      assert.equal(gate.asks.gate === 'session' && gate.asks.answers, ['retry', 'replan', 'stop']);
      assert.match(await answerGate(tab, gate, { kind: 'continue' }), 'continue is not among its answers');
      repo.write('given.txt', 'given\n');
      repo.commit('what it needs');
      assert.is(await answerGate(tab, gate, { kind: 'retry' }), '');
      await answerNext(tab, 'changesets', { kind: 'approve' });
    });
    assert.is(run.code, 0, run.stderr);
    assert.match(run.stderr, 'Decided on the board: what is left, retry.');
    assert.is(repo.git('show', 'main:src/task-001.txt'), 'given');
  });

  live(
    'DSK-4 DSK-1 diagnostics that fail on the base: the board stops before agents are paid, or lets them work',
    async () => {
      const project = await openClaudeProject({
        config: {
          ...noValidator,
          validation: { validator_diagnostics: { commands: ['test -f src/task-001.txt'] } },
        },
        script: (request) => write(taskOf(request) ?? '', request.turn),
      });
      const { repo, model } = project;
      const stopped = await runOnBoard(project, [task(1)], async (tab) => {
        const gate = await nextGate(tab, 'base');
        assert.match(JSON.stringify(gate.asks), 'test -f src/task-001.txt fails on main already (exit 1)');
        assert.is(await answerGate(tab, gate, { kind: 'stop' }), '');
      });
      assert.is(stopped.code, 1, stopped.stderr);
      assert.match(stopped.stderr, 'No agent was started: diagnostics fail on the base already.');
      assert.is(model.requests.length, 0);
      assert.throws(() => repo.git('show', 'main:src/task-001.txt'));
      const went = await runOnBoard(project, [], async (tab) => {
        await answerNext(tab, 'base', { kind: 'go-on' });
        await answerNext(tab, 'changesets', { kind: 'approve' });
      });
      assert.is(went.code, 0, went.stderr);
      assert.is(model.requests.length, 3);
      assert.is(repo.git('show', 'main:src/task-001.txt'), 'task-001');
    },
  );
}

test.run();
