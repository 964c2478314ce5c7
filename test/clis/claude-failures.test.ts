import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, type FlameCommand, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { ModelRequest } from '../support/model-request.ts';
import { taskOf } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';

// What the model API and the client itself can do wrong, through `git flame` with the real client.

const claude = findClaude();
const place = claude === null ? 'none' : enterNetworkNamespace();
const overloaded: Reply = {
  status: 529,
  type: 'overloaded_error',
  error: 'Overloaded',
  headers: { 'retry-after': '0' },
};
const unauthorized: Reply = { status: 401, type: 'authentication_error', error: 'invalid x-api-key' };

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-failures: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live(
    'LIF-5, UNI-8: overload is waited out, credentials are not tried again, a spent budget sends nothing',
    async () => {
      const asked = new Map<string, number>();
      const project = await openClaudeProject({
        config: {
          roles: { validator: { adapter: 'none' } },
          limits: { token_budget: { worker_tokens: 40_000 } },
        },
        script: (request) => {
          const task = taskOf(request) ?? '';
          const count = (asked.get(task) ?? 0) + 1;
          asked.set(task, count);
          if (task === 'task-001' && count === 1) return overloaded;
          if (task === 'task-002' && count <= 3) return overloaded;
          if (task === 'task-004') return unauthorized;
          return { ...workOf(task, request), usage: task === 'task-003' ? { input_tokens: 16_000 } : {} };
        },
      });
      const plan = writePlan(
        project.repo,
        [1, 2, 3, 4].map((number) => ({
          id: `task-00${number}`,
          script: 'Write it.',
          locks: [`src/task-00${number}.txt`],
          group: `group-${number}`,
        })),
      );
      const decisions = writeDecisions(project.repo, {
        plan: ['approve'],
        changesets: ['approve', 'approve'],
      });
      const run = await project.flame('run', 'Four', '--from', plan, '--decisions-file', decisions);

      const [first, second, third, fourth] = tasksOf(run);
      assert.is(run.code, 1, run.stderr);
      assert.equal(
        [first?.status, second?.status, third?.status, fourth?.status],
        ['merged', 'merged', 'failed', 'failed'],
      );
      assert.equal(failures(run, 'task-001'), []);
      assert.equal(failures(run, 'task-002'), [{ kind: 'rate-limit', will_retry: true }]);
      assert.is(second?.retry_count, 0, 'waiting uses up no retry');
      assert.equal(failures(run, 'task-003'), [{ kind: 'budget', will_retry: false }]);
      assert.is(asked.get('task-003'), 2, 'requests within the budget');
      assert.equal(failures(run, 'task-004'), [{ kind: 'auth', will_retry: false }]);
      assert.match(fourth?.reason ?? '', 'did not accept the credential in ANTHROPIC_API_KEY');
      assert.ok((asked.get('task-004') ?? 0) <= 3, `${asked.get('task-004')} requests`);
      assert.is(project.repo.git('show', 'main:src/task-002.txt'), 'task-002');
    },
  );

  live(
    'LIF-5 a rate limit with an end: the client does not wait in its cell, no second one starts, the end is told',
    async () => {
      const project = await openClaudeProject({
        config: { roles: { validator: { adapter: 'none' } }, concurrency: { development: 1 } },
        script: () => ({
          status: 429,
          type: 'rate_limit_error',
          error: 'This request would exceed your limit',
          headers: { 'retry-after': '3600' },
        }),
      });
      const plan = writePlan(
        project.repo,
        [1, 2].map((number) => ({
          ...{ id: `task-00${number}`, script: 'Write it.', locks: [`src/${number}.txt`] },
        })),
      );
      const decisions = writeDecisions(project.repo, { plan: ['approve'] });
      const began = Date.now();
      const run = project.begin('run', 'Two', '--from', plan, '--decisions-file', decisions);
      const isPaused = (): boolean =>
        project.repo.git('for-each-ref', '--format=%(subject)', 'refs/blueflame/').includes('pauses until');
      await until('it pauses', isPaused);
      // Its first task has failed by now and waits; nothing is asked while nothing may be.
      const asked = project.model.requests.length;
      run.signal('SIGINT');
      const ended = await run.ended;
      assert.is(ended.code, 130, ended.stderr);
      assert.is(project.model.requests.length, asked);
      assert.ok(asked <= 2, `${asked} requests`);
      const paused = ended.lines.find(({ event }) => event === 'paused');
      const wait = Date.parse(String(paused?.until)) - began;
      assert.ok(wait >= 3_600_000, `${wait} ms`);
      assert.match(String(paused?.why), 'limits the rate of requests');
      assert.is(ended.lines.filter(({ event }) => event === 'agent-started').length, 1);
      assert.equal(
        tasksOf(ended).map(({ status, retry_count }) => [status, retry_count]),
        [
          ['pending', 0],
          ['pending', 0],
        ],
      );
    },
  );

  live(
    'a planner whose credentials are refused ends the command with the reason, and the session can go on',
    async () => {
      let isFixed = false;
      const project = await openClaudeProject({
        script: (request) => {
          if (!isFixed) return unauthorized;
          return request.tools.includes('StructuredOutput')
            ? { tool: 'StructuredOutput', input: { tasks: [] } }
            : { text: 'no' };
        },
      });
      const run = await project.flame('run', 'Anything');
      assert.is(run.code, 1, run.stderr);
      assert.match(run.stderr, 'The planner failed: The model API did not accept the credential in ANTHROPIC_API_KEY');
      assert.ok(project.model.requests.length <= 3, `${project.model.requests.length} requests`);
      isFixed = true;
      const again = await project.flame('run');
      assert.is(again.code, 0, again.stderr);
      assert.is(again.lines.at(-1)?.event, 'session-ended');
    },
  );

  live(
    'BUD-1 a client that asks for a model outside its role sends nothing, and the audit names the model',
    async () => {
      const other = 'claude-opus-4-8';
      const wrapper = join(makeTempDir(), 'claude');
      writeFileSync(
        wrapper,
        `#!/bin/sh\ncase $PWD in */worker-*) set -- "$@" --model ${other} ;; esac\nexec '${claude}' "$@"\n`,
      );
      chmodSync(wrapper, 0o755);
      const project = await openClaudeProject({
        command: [wrapper],
        config: {
          sandbox: { read_paths: [dirname(claude ?? '')] },
          models: { worker: 'sonnet' },
          roles: { validator: { adapter: 'none' } },
          limits: { max_retries: 0 },
        },
        script: () => ({ text: 'asked' }),
      });
      const plan = writePlan(project.repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/a.txt'] }]);
      const decisions = writeDecisions(project.repo, { plan: ['approve'] });
      const run = await project.flame('run', 'One', '--from', plan, '--decisions-file', decisions);
      assert.is(run.code, 1, run.stderr);
      assert.equal(
        tasksOf(run).map(({ status }) => status),
        ['failed'],
        JSON.stringify([run.code, run.stderr, run.lines.slice(-6)]),
      );
      assert.equal(
        project.model.requests.filter(({ model }) => model === other),
        [],
      );
      const logs = join(project.repo.path, '.git/blueflame/logs');
      const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
      assert.match(texts.join('\n'), new RegExp(`"target":"${other}".*"rule":"model-not-allowed"`));
    },
  );

  live('UNI-7: a client that takes no settings fails the canary: no agent starts and nothing is spent', async () => {
    const wrapper = join(makeTempDir(), 'claude');
    const strip =
      'for word; do shift; case $skip$word in 1*) skip=; continue;; --settings) skip=1; continue;; esac; set -- "$@" "$word"; done';
    writeFileSync(wrapper, `#!/bin/sh\nskip=\n${strip}\nexec '${claude}' "$@"\n`);
    chmodSync(wrapper, 0o755);
    const project = await openClaudeProject({
      command: [wrapper],
      config: { sandbox: { read_paths: [dirname(claude ?? '')] } },
      script: () => ({ text: 'unwatched' }),
    });
    const run = await project.flame('run', 'Anything');
    assert.is(run.code, 1, run.stderr);
    assert.match(run.stderr, 'The canary call of claude was not denied');
    assert.equal(
      run.lines.filter(({ event }) => event === 'agent-started'),
      [],
    );
    assert.equal(project.model.seen, []);
    const trees = `${project.repo.path}.trees`;
    assert.equal(existsSync(trees) ? readdirSync(trees) : [], []);
  });
}

test.run();

function workOf(task: string, { turn }: ModelRequest): Exclude<Reply, { status: number } | { hang: true }> {
  const path = `src/${task}.txt`;
  const steps = [
    { tool: 'Write', input: { file_path: path, content: `${task}\n` } },
    { tool: 'Bash', input: { command: `git add ${path} && git commit -m "${task}"`, description: 'commit' } },
  ];
  return steps[turn - 1] ?? { text: 'It is committed.' };
}

function failures({ lines }: FlameCommand, id: string): readonly unknown[] {
  return lines
    .filter(({ event, task }) => event === 'task-failed' && task === id)
    .map(({ failure, will_retry }) => ({ kind: (failure as { kind: string }).kind, will_retry }));
}
