import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { priceTokens } from '../../lib/domain/config/token-price.ts';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { taskOf } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// The breaker of a session through `git flame` with the real client.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

const lookAround: Reply = {
  ...{ tool: 'Bash', input: { command: 'ls', description: 'look' } },
  usage: { input_tokens: 9_900, output_tokens: 100 },
};

function writeAndCommit(task: string, turn: number): Reply {
  const path = `src/${task}.txt`;
  const command = `git add ${path} && git commit -m "${task}"`;
  const steps: readonly Reply[] = [
    { tool: 'Write', input: { file_path: path, content: `${task}\n` } },
    { tool: 'Bash', input: { command, description: 'commit' } },
  ];
  return steps[turn - 1] ?? { text: 'It is committed.' };
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-budget: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live(
    'BUD-2 BUD-3 a spent session asks: nobody there ends with 2, a raise goes on, an agent that loops gets its share',
    async () => {
      const project = await openClaudeProject({
        config: {
          roles: { validator: { adapter: 'none' } },
          concurrency: { development: 1 },
          limits: { max_session_tokens: 45_000, token_budget: { worker_usd: 0 } },
        },
        script: (request) => {
          const task = taskOf(request) ?? '';
          // The first goes round in circles for ever.
          return task === 'task-001' ? lookAround : writeAndCommit(task, request.turn);
        },
      });
      const plan = writePlan(
        project.repo,
        [1, 2].map((number) => ({
          ...{ id: `task-00${number}`, script: 'Write it.', locks: [`src/task-00${number}.txt`] },
          ...{ group: `group-${number}`, priority: number },
        })),
      );
      const decisions = writeDecisions(project.repo, { plan: ['approve'] });
      const first = await project.flame('run', 'Two', '--from', plan, '--decisions-file', decisions);
      assert.is(first.code, 2, first.stderr);
      assert.match(first.stderr, /budget.*git flame run/s);
      assert.equal(
        tasksOf(first).map(({ status, reason }) => [status, reason]),
        [
          ['failed', 'The agent spent its budget before it was done.'],
          ['pending', "The rest of the session's budget was too little for the agent."],
        ],
      );
      // 10,000 tokens each, and none that what is left would not hold.
      assert.is(project.model.requests.length, 4);

      const raised = writeDecisions(project.repo, { budget: [{ raise: 50_000 }], changesets: ['approve'] });
      const second = await project.flame('run', '--decisions-file', raised);
      assert.is(second.code, 1, second.stderr);
      assert.equal(
        tasksOf(second).map(({ status }) => status),
        ['failed', 'merged'],
      );
      const session = second.lines.at(-1)?.session as { tokens: number };
      assert.is(session.tokens, 40_000 + 110 * (project.model.requests.length - 4));
    },
  );

  live(
    'BUD-2 agents at work together stop where the dollars of their session end, fail for nothing, and go on after a raise',
    async () => {
      let isDone = false;
      const limit = 0.5;
      const project = await openClaudeProject({
        config: {
          roles: { validator: { adapter: 'none' } },
          concurrency: { development: 2 },
          limits: { max_session_cost_usd: limit, token_budget: { worker_usd: 0 } },
        },
        script: (request) => {
          const task = taskOf(request) ?? '';
          return isDone ? writeAndCommit(task, request.turn) : lookAround;
        },
      });
      const plan = writePlan(
        project.repo,
        [1, 2].map((number) => ({
          ...{ id: `task-00${number}`, script: 'Write it.', locks: [`src/task-00${number}.txt`] },
          priority: number,
        })),
      );
      const decisions = writeDecisions(project.repo, { plan: ['approve'] });
      const first = await project.flame('run', 'Two', '--from', plan, '--decisions-file', decisions);
      assert.is(first.code, 2, first.stderr);
      assert.match(first.stderr, /budget.*git flame run/s);
      assert.equal(
        tasksOf(first).map(({ status, retry_count }) => [status, retry_count]),
        [
          ['pending', 0],
          ['pending', 0],
        ],
      );
      // The client may know other prices than ours, and its sum counts where it is higher.
      const sent = project.model.requests;
      const known = sent.map(({ model }) => priceTokens(model, lookAround.usage ?? {}) ?? 0);
      const spent = known.reduce((sum, one) => sum + one, 0);
      assert.ok(spent > 0 && spent <= limit, `${spent} USD`);

      isDone = true;
      const raised = writeDecisions(project.repo, { budget: [{ raise: 1 }], changesets: ['approve'] });
      const second = await project.flame('run', '--decisions-file', raised);
      assert.is(second.code, 0, second.stderr);
      assert.equal(
        tasksOf(second).map(({ status }) => status),
        ['merged', 'merged'],
      );
    },
  );
}

test.run();
