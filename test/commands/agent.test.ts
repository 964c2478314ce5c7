import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { findDamage, processesIn } from '../support/kill-rig.ts';
import { programEnd, startProgram, untilSaid } from '../support/program.ts';
import type { TestRepo } from '../support/repo.ts';
import { until } from '../support/until.ts';

// The first attempt at task-001 hangs; what it does after that, and all the other task does, is quick.
const hangs =
  'if [ "$FLAME_ATTEMPT" = 1 ]; then echo half > src/one.txt; echo ready; sleep 300 & wait; else echo whole > src/one.txt; fi';
const deaf = `trap '' TERM; ${hangs}`;

type Fields = Readonly<Record<string, unknown>>;

function makeProject(script: string): TestRepo {
  const repo = makeExecProject();
  writePlan(repo, [
    { id: 'task-001', script, locks: ['src/one.txt'], group: 'one' },
    { id: 'task-002', script: 'echo two > src/two.txt', locks: ['src/two.txt'], group: 'two' },
  ]);
  writeDecisions(repo, { plan: ['approve'], changesets: ['approve', 'approve'] });
  return repo;
}

const argv = ['run', 'Hang', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml', '--json'];

/** The one agent that hangs, once it has spoken. */
async function untilHanging(repo: TestRepo, child: ChildProcess): Promise<Fields> {
  await untilSaid(child, /"event":"agent-started"[^\n]*"task-001"/, 'stdout');
  let hanging: Fields | undefined;
  await until('the agent hangs', async () => {
    const [answer] = (await flameJson(repo, ['agent', 'list'])).lines as unknown as readonly {
      readonly agents: readonly Fields[];
    }[];
    const { agents } = answer ?? {};
    hanging = agents?.find(({ task_id, activity }) => task_id === 'task-001' && activity === 'ready');
    return hanging !== undefined;
  });
  assert.ok(hanging);
  return hanging;
}

async function taskOf(repo: TestRepo, id: string): Promise<Fields> {
  const [status] = (await flameJson(repo, ['status'])).lines;
  const task = ((status?.tasks ?? []) as readonly Fields[]).find((one) => one.id === id);
  assert.ok(task);
  return task;
}

for (const [name, script] of [
  ['that listens', hangs],
  ['that does not listen to SIGTERM', deaf],
] as const) {
  test(`WRK-6 one agent ${name} is ended from another terminal: tried again, no retry used up`, async () => {
    const repo = makeProject(script);
    const child = startProgram(repo, argv);
    const ended = programEnd(child);
    const agent = await untilHanging(repo, child);
    const stopped = await flameJson(repo, ['agent', 'stop', `${agent.id}`]);
    assert.is(stopped.code, 0, stopped.stderr);
    assert.equal(stopped.lines, [{ schema_version: 1, agent: agent.id, task: 'task-001', stopped: true, retry: true }]);
    const { code, stdout, stderr } = await ended;
    assert.is(code, 0, stderr);
    assert.match(stdout, /"kind":"agent-stopped","message":"Stopped by Lea Lead <lea@example.com>\."/);
    const task = await taskOf(repo, 'task-001');
    assert.equal([task.status, task.retry_count], ['merged', 0]);
    assert.is(repo.git('show', 'main:src/one.txt'), 'whole');
    assert.is(repo.git('show', 'main:src/two.txt'), 'two');
    assert.equal(processesIn(dirname(repo.path)), []);
    assert.is(findDamage(repo), '');
  });
}

test('WRK-6 with --no-retry the task of a stopped agent has failed, its worktree stays, and the run goes on', async () => {
  const repo = makeProject(hangs);
  const child = startProgram(repo, argv);
  const ended = programEnd(child);
  const agent = await untilHanging(repo, child);
  assert.is((await flame(repo, ['agent', 'stop', 'task-001', '--no-retry'])).code, 0);
  const { code } = await ended;
  assert.is(code, 1);
  const task = await taskOf(repo, 'task-001');
  assert.equal([task.status, task.retry_count], ['failed', 0]);
  assert.is((await taskOf(repo, 'task-002')).status, 'merged');
  assert.is(readFileSync(join(`${agent.worktree}`, 'src/one.txt'), 'utf8'), 'half\n');
});

test('LIF-1 WRK-6 agent list tells all that is known of an agent; attach shows what it says until it ends, and leaving it ends nothing', async () => {
  const repo = makeProject(hangs);
  const child = startProgram(repo, argv);
  const ended = programEnd(child);
  const agent = await untilHanging(repo, child);
  assert.equal(Object.keys(agent).sort(), [
    'activity',
    'adapter',
    'cost_usd',
    'elapsed_ms',
    'id',
    'last_activity_at',
    'pid',
    'role',
    'session',
    'started_at',
    'task_id',
    'tokens',
    'worktree',
  ]);
  const text = await flame(repo, ['agent', 'list']);
  assert.match(text.stdout, new RegExp(`^${agent.id}  task-001  pid ${agent.pid} .*ready$`, 'm'));
  const leave = new AbortController();
  const left = flame(repo, ['agent', 'attach', 'task-001'], { signal: leave.signal });
  leave.abort();
  assert.is((await left).code, 0);
  assert.ok((await flame(repo, ['agent', 'list'])).stdout.includes(`${agent.id}`));
  // It is the only one; what is to be stopped is named all the same.
  const attached = flame(repo, ['agent', 'attach']);
  assert.is((await flame(repo, ['agent', 'stop'])).code, 129);
  await flame(repo, ['agent', 'stop', `${agent.id}`]);
  const { code, stdout, stderr } = await attached;
  assert.equal([code, stdout], [0, 'ready\n']);
  assert.match(stderr, /has ended/);
  assert.is((await ended).code, 0);
  // What is kept of an agent can be read later too.
  const later = await flameJson(repo, ['agent', 'attach', `${agent.id}`]);
  assert.equal(later.lines, [{ agent: agent.id, line: 'ready' }]);
  assert.match((await flame(repo, ['agent', 'list'])).stdout, /No agent is running/);
});

test('attach says below a call that it was blocked, and at the end which blocked calls the stream did not show', async () => {
  const repo = makeProject(hangs);
  const id = 'worker-1a2b3c4d';
  const call = (name: string, input: Fields): string =>
    JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', name, input }] } });
  const judged = (tool: string, target: string, rule: string | null): string =>
    JSON.stringify({
      ...{ timestamp: '2026-02-06T14:30:22.000Z', agent_id: id, tool, target, details: `of ${target}` },
      ...(rule === null ? { decision: 'allow', rule: 'allowed' } : { decision: 'block', rule }),
    });
  const stream = [call('Bash', { command: 'npm test' }), call('Bash', { command: 'rm -rf test\ntrue' })];
  const more = [call('Write', { file_path: '/repo/.trees/one/.env' }), call('Bash', { command: 'npm test' })];
  const audit = [
    judged('Bash', 'npm test', null),
    judged('Bash', 'rm -rf test\ntrue', 'bash-command'),
    judged('Write', '/repo/.trees/one/.env', 'blocked-path'),
    judged('Bash', 'npm test', null),
    judged('WebFetch', 'http://example.com', 'tool'),
  ];
  repo.write(`.git/blueflame/logs/${id}.stream.jsonl`, `${[...stream, ...more].join('\n')}\n`);
  repo.write(`.git/blueflame/logs/${id}.audit.jsonl`, `${audit.join('\n')}\n`);
  const { code, stdout, stderr } = await flame(repo, ['agent', 'attach', id]);
  assert.is(code, 0, stderr);
  assert.equal(
    stdout.split('\n').filter((line) => /^(?:>| +blocked:)/.test(line)),
    [
      '> Bash npm test',
      '> Bash rm -rf test',
      '    blocked: Bash rm -rf test true',
      '> Write /repo/.trees/one/.env',
      '    blocked: Write /repo/.trees/one/.env',
      '> Bash npm test',
      '    blocked: WebFetch http://example.com',
    ],
  );
  assert.match(stdout, 'bash-command: of rm -rf test');
  const { lines } = await flameJson(repo, ['agent', 'attach', id]);
  assert.equal(
    lines.flatMap(({ blocked }) => (blocked === undefined ? [] : (blocked as Fields).rule)),
    ['bash-command', 'blocked-path', 'tool'],
  );
});

test('an agent that does not run cannot be stopped, and the mistake is told', async () => {
  const repo = makeExecProject();
  const unknown = await flame(repo, ['agent', 'stop', 'worker-00000000']);
  assert.is(unknown.code, 1);
  assert.match(unknown.stderr, /No agent "worker-00000000" runs on this machine/);
  for (const what of ['stop', 'attach', 'hint']) {
    const nameless = await flame(repo, ['agent', what]);
    assert.is(nameless.code, 1);
    assert.match(nameless.stderr, 'No agent is running.');
    assert.not.match(nameless.stderr, 'agent list');
  }
  assert.is((await flame(repo, ['agent', 'attach', 'worker-00000000'])).code, 1);
  const run = join(repo.path, '.git/blueflame/run');
  assert.equal(existsSync(run) ? readdirSync(run) : [], []);
});

test.run();
