import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ClaudeProject,
  closeProjects,
  type FlameCommand,
  openClaudeProject,
  processesAbout,
  tasksOf,
} from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { ModelRequest } from '../support/model-request.ts';
import type { Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';

// What an agent had spent counts after a kill, whenever the kill came.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

/** What each answer of the model costs here. */
const answered = 110;

const steps: readonly Reply[] = [
  { tool: 'Write', input: { file_path: 'src/new.txt', content: 'new\n' } },
  { tool: 'Bash', input: { command: 'git add src/new.txt && git commit -m new', description: 'commit' } },
];
const work = (turn: number): Reply => steps[turn - 1] ?? { text: 'It is committed.' };

interface Killed {
  readonly project: ClaudeProject;
  /** What the session has spent once the run was begun again, before anything else was asked of the model. */
  readonly tokens: number;
}

/** A run whose first agent is answered by `script`, ended by SIGKILL once `isTime`, and what its session then has spent. */
async function killed(
  script: (turn: number, request: ModelRequest) => Reply,
  isTime: (project: ClaudeProject) => boolean,
): Promise<Killed> {
  let isAgain = false;
  const project = await openClaudeProject({
    config: {
      roles: { validator: { adapter: 'none' } },
      limits: { max_session_tokens: 1_000_000, token_budget: { worker_usd: 0 } },
    },
    script: (request) => (isAgain ? work(request.turn) : script(request.turn, request)),
  });
  const { repo, root } = project;
  const plan = writePlan(repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/new.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const first = project.begin('run', 'One', '--from', plan, '--decisions-file', decisions);
  let end: FlameCommand | null = null;
  void first.ended.then((ended) => {
    end = ended;
  });
  await until('it is time', () => end !== null || isTime(project));
  assert.is(end, null, JSON.stringify(end));
  first.signal('SIGKILL');
  await first.ended;
  await until('the kernel has ended the agent', () => processesAbout(root).length === 0);
  const before = project.model.requests.length;
  isAgain = true;
  const done = await project.flame('run', '--decisions-file', writeDecisions(repo, { changesets: ['approve'] }));
  assert.is(done.code, 0, done.stderr);
  assert.equal(
    tasksOf(done).map(({ status }) => status),
    ['merged'],
  );
  const status = (await project.flame('status')).lines.at(-1)?.session as { readonly tokens: number };
  return { project, tokens: status.tokens - answered * (project.model.requests.length - before) };
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-killed-spending: needs Claude Code');
  test.after(closeProjects);

  live(
    'BUD-1 BUD-2 LIF-4 a request that is under way when the run is killed counts as all that it may cost',
    async () => {
      let most = 0;
      const { tokens } = await killed(
        (turn, { body }) => {
          if (turn === 1) return work(turn);
          most = (body as { readonly max_tokens: number }).max_tokens;
          return { hang: true };
        },
        () => most > 0,
      );
      assert.ok(most > 0);
      // Its input too, by estimate: the words of the client and its tools.
      assert.ok(tokens > answered + most + 100, `${tokens}, ${most} asked for`);
      assert.ok(tokens < answered + most + 100_000, `${tokens}, ${most} asked for`);
    },
  );

  live('BUD-1 BUD-2 LIF-4 an answer counts as what it cost, also where the run is killed right after', async () => {
    const command = 'touch src/new.txt && sleep 600';
    const { tokens, project } = await killed(
      () => ({ tool: 'Bash', input: { command, description: 'wait' } }),
      ({ repo }) => worktreesOf(repo.path).some((path) => existsSync(join(path, 'src/new.txt'))),
    );
    assert.is(tokens, answered, `${project.model.requests.length} requests`);
  });
}

if (place !== 'outside') {
  // Of a worker that did well, its end is noted with its worktree; of others, nothing else is.
  for (const [outcome, script] of [
    ['well', work],
    ['badly', (): Reply => ({ text: 'NOT DONE: there is no such file.' })],
  ] as const) {
    testIf(
      test,
      place === 'inside',
      'claude-killed-spending: needs Claude Code',
    )(
      `BUD-1 BUD-2 LIF-4 an agent that ended ${outcome} is booked once, wherever its run is killed after that`,
      async () => {
        for (const point of ['run folder worker to remove', 'run folder worker removed']) {
          const project = await openClaudeProject({
            config: {
              roles: { validator: { adapter: 'none' } },
              limits: { max_session_tokens: 1_000_000, max_retries: 0 },
            },
            env: { FLAME_TEST_KILL_AT: point },
            script: ({ turn }) => script(turn),
          });
          const { repo } = project;
          const plan = writePlan(repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/new.txt'] }]);
          const decisions = writeDecisions(repo, { plan: ['approve'] });
          const killedRun = await project.flame('run', 'One', '--from', plan, '--decisions-file', decisions);
          assert.is.not(killedRun.code, 0, point);
          const asked = project.model.requests.length;
          assert.ok(asked > 0);
          await project.flame('validate');
          const status = (await project.flame('status')).lines.at(-1)?.session;
          assert.is((status as { readonly tokens: number }).tokens, asked * answered, `${outcome}, ${point}`);
        }
      },
    );
  }
}

function worktreesOf(path: string): readonly string[] {
  const folder = `${path}.trees`;
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

if (place !== 'outside') test.run();
