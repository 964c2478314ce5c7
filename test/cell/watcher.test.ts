import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claudeCallFacts } from '../../lib/agents/claude-calls.ts';
import { openEgressLog } from '../../lib/cell/egress/egress-rules.ts';
import type { GatewayLogLine } from '../../lib/cell/gateway/gateway-options.ts';
import type { WatcherClient } from '../../lib/cell/runner-context.ts';
import { limitNumberOfQuestions } from '../../lib/cell/watcher/agent-questions.ts';
import { openAuditLog, summarizeAudit } from '../../lib/cell/watcher/audit-log.ts';
import {
  createJudgingTurns,
  type DecisionServerOptions,
  startDecisionServer,
} from '../../lib/cell/watcher/decision-server.ts';
import { writeDiagnosticReplays } from '../../lib/cell/watcher/judge-request.ts';
import { uncachedPathFacts } from '../../lib/cell/watcher/path-facts.ts';
import { buildWatcherHookCommand } from '../../lib/cell/watcher/watcher-hooks.ts';
import { encodeWatcherRequest, watcherAnswerTimeoutMs } from '../../lib/cell/watcher/watcher-protocol.ts';
import { type AgentQuestionReply, maxQuestions } from '../../lib/domain/agent-messages.ts';
import { decideToolCall } from '../../lib/policy/decide-tool-call.ts';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { agentPolicy, distDir } from './fixture.ts';

const worktree = makeTempDir();
const policy = agentPolicy('worker-1a2b3c4d', worktree);
const now = (): Date => new Date('2026-02-06T14:30:22Z');
const watcher = join(distDir, 'watcher.cjs');
const isCompiled = existsSync(join(distDir, 'watcher'));
const clients: readonly WatcherClient[] = [...(isCompiled ? ['native' as const] : []), 'node'];

testIf(
  test,
  isCompiled,
  'no native client was built: a compiler is missing',
)('WAT-8 the native client is one of those tried here', () => assert.is(clients[0], 'native'));

for (const client of clients) {
  test(`WAT-1, WAT-7: allowed is 0, blocked is 2 with the reason, both are in the audit (${client})`, async () => {
    const server = await startServer();
    assert.equal(await ask(client, server.path, call('a.txt')), { code: 0, stderr: '', stdout: '' });
    const blocked = await ask(client, server.path, call('secret.key'));
    assert.is(blocked.code, 2);
    assert.match(blocked.stderr, /secret\.key is hidden .*\[path-hidden\]/s);
    await server.close();
    const lines = readFileSync(server.audit, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(
      lines.map(({ decision, rule }) => [decision, rule]),
      [
        ['allow', 'allowed'],
        ['block', 'path-hidden'],
      ],
    );
    const { target, timestamp, agent_id, tool } = lines[1];
    assert.equal(
      { target, timestamp, agent_id, tool },
      {
        target: join(worktree, 'secret.key'),
        timestamp: '2026-02-06T14:30:22.000Z',
        agent_id: 'worker-1a2b3c4d',
        tool: 'Write',
      },
    );
    const summary = summarizeAudit(server.audit);
    assert.equal([summary.allowed, summary.blocked], [1, 1]);
  });

  test(`VAL-2: what ran elsewhere is only shown, and the audit says so (${client})`, async () => {
    const folder = makeTempDir();
    const output = `ünï\n${'x'.repeat(4_000)}`;
    const run = { command: "npm test -- 'a b'", exit_code: 3, timed_out: false, duration_ms: 1, output };
    const validator = { ...policy, exact_commands: [run.command, 'make'], allowed_commands: [] };
    const server = await startServer({ policy: validator, replays: writeDiagnosticReplays([run], folder) });
    const bash = (command: string): string =>
      JSON.stringify({ tool_name: 'Bash', tool_input: { command, description: 'd' }, cwd: worktree });
    const { code, stdout } = await ask(client, server.path, bash(` ${run.command} `));
    assert.is(code, 0);
    const { permissionDecision, updatedInput } = JSON.parse(stdout).hookSpecificOutput;
    assert.is(permissionDecision, 'allow');
    assert.is(updatedInput.description, 'd');
    const shown = spawnSync('bash', ['-c', updatedInput.command], { encoding: 'utf8' });
    assert.is(shown.status, 3);
    assert.match(shown.stdout, /^\[recorded [0-9a-f]{16}: .* ended with exit code 3\./);
    assert.ok(shown.stdout.endsWith(`\n${output}\n`));
    assert.is((await ask(client, server.path, bash('make'))).code, 2, 'nothing is recorded of it');
    assert.is((await ask(client, server.path, bash(`${run.command}; id`))).code, 2);
    await server.close();
    const [line = ''] = readFileSync(server.audit, 'utf8').split('\n');
    assert.match(line, /"target":" npm test -- 'a b' ","decision":"allow","rule":"replayed","details":"Not run/);
  });

  test(`WAT-2: each refusal has a number of its own, in its first line and not in the audit (${client})`, async () => {
    const run = { command: 'make', exit_code: 0, timed_out: false, duration_ms: 1, output: 'x\ny' };
    const server = await startServer({
      policy: { ...policy, exact_commands: ['make'], allowed_commands: [] },
      replays: writeDiagnosticReplays([run], makeTempDir()),
      calls: { ...claudeCallFacts, replace: () => null },
    });
    const make = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'make' }, cwd: worktree });
    const numbers = [];
    for (const input of [call('secret.key'), call('secret.key'), make]) {
      const { code, stderr } = await ask(client, server.path, input);
      assert.is(code, 2);
      numbers.push(/^[^\n]* \(([0-9a-f]{12})\)(?: \[|\n)/.exec(stderr)?.[1]);
    }
    await server.close();
    assert.is(new Set(numbers).size, 3, numbers.join());
    assert.not(numbers.includes(undefined), numbers.join());
    for (const number of numbers) assert.not.match(readFileSync(server.audit, 'utf8'), new RegExp(`${number}`));
  });

  test(`WAT-8, HKS-2: what a git hook saw is judged and in the audit (${client})`, async () => {
    const server = await startServer();
    const hook = (name: string, input: string): ReturnType<typeof ask> =>
      ask(client, server.path, input, ['--hook', name]);
    const entry = (path: string): string => `:000000 100644 0000000 1234567 A\0${path}\0`;
    assert.is((await hook('commit-msg', 'ünï "quoted" \\ \u0007\n\nbody\n')).code, 0);
    assert.is((await hook('commit-msg', '\n\n')).code, 2);
    assert.is((await hook('pre-commit', '')).code, 0);
    assert.is((await hook('pre-commit', entry('a b\n:"c\\.txt'))).code, 2, 'a name nobody types');
    const staged = await hook('pre-commit', `${entry('a.txt')}${entry('x/secret.key')}${entry('secret.key')}`);
    assert.is(staged.code, 2);
    assert.match(staged.stderr, /^secret\.key is hidden .*\[path-hidden\]\n$/);
    for (const input of ['junk', entry('a.txt').slice(0, -1), ` ${entry('a.txt')}`]) {
      assert.match((await hook('pre-commit', input)).stderr, /call-malformed/);
    }
    assert.is((await hook('post-merge', '')).code, 2);
    await server.close();
    const lines = readFileSync(server.audit, 'utf8').trim().split('\n');
    assert.is(lines.length, 9);
    assert.match(lines[0] ?? '', /"tool":"git commit-msg","target":"ünï \\"quoted\\" /);
  });

  test(`WAT-2: garbage blocks (${client})`, async () => {
    const server = await startServer();
    for (const input of [
      '',
      'junk',
      '{}',
      '[]',
      'null',
      '{"tool_name":"Write"}',
      '{"tool_name":"","cwd":"/","tool_input":{}}',
      '{"tool_name":"Write","cwd":"/","tool_input":[]}',
      `${call('a.txt')} trailing`,
    ]) {
      assert.is((await ask(client, server.path, input)).code, 2, input);
    }
    await server.close();
  });

  test(`WAT-2: a call that is too large blocks (${client})`, async () => {
    const server = await startServer();
    const { code, stderr } = await ask(client, server.path, call('a.txt', 'x'.repeat(17 * 1024 * 1024)));
    assert.is(code, 2);
    assert.match(stderr, /larger than 16 MB/);
    await server.close();
  });

  test(`WAT-2: a server that is gone, silent, hangs up or talks nonsense blocks (${client})`, async () => {
    const dead = join(makeTempDir(), 'dead.sock');
    assert.is((await ask(client, dead, call('a.txt'))).code, 2);
    const answers = [
      { text: '', ends: false },
      { text: '', ends: true },
      { text: '{"decision":"allow"', ends: true },
      { text: '{"decision":"Allow"}\n', ends: true },
      { text: 'nonsense\n', ends: true },
      { text: 'print 10\n{"hook":', ends: true },
      { text: 'print 10\n', ends: true },
      { text: '[{"decision":"allow"}]\n', ends: true },
    ];
    for (const answer of answers) {
      const path = join(makeTempDir(), 'fake.sock');
      const server = await listen(path, answer);
      assert.is((await ask(client, path, call('a.txt'))).code, 2, answer.text);
      server.close();
    }
  });

  test(`WAT-2: a decision that throws and an audit that cannot be written block (${client})`, async () => {
    const throwing = await startServer({
      decide: () => {
        throw new Error('broken policy');
      },
    });
    assert.match((await ask(client, throwing.path, call('a.txt'))).stderr, /broken policy/);
    await throwing.close();
    const unwritable = await startServer({ auditFile: '/dev/full' });
    const { code, stderr } = await ask(client, unwritable.path, call('a.txt'));
    assert.is(code, 2);
    assert.match(stderr, /audit/);
    await unwritable.close();
  });

  test(`WAT-3: the canary is heard once the client was started (${client})`, async () => {
    const server = await startServer();
    assert.is(server.canaries(), 0);
    assert.is((await ask(client, server.path, '', ['--canary'])).code, 0);
    assert.is(server.canaries(), 1);
    await server.close();
  });
}

const asking = JSON.stringify({
  ...{ tool_name: 'AskUserQuestion', cwd: worktree, tool_use_id: 'call_1' },
  tool_input: {
    questions: [{ question: 'Which one?', options: [{ label: 'a', description: 'the first' }] }],
  },
});

test('DSK-6 the audit tells of a question what was asked, and nothing else that its call holds', async () => {
  const server = await startServer({ ask: async () => ({ kind: 'answer', answers: ['a'] }) });
  const reported = JSON.parse(asking);
  const url = `https://x:ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}@host/`;
  const input = { ...reported.tool_input, url, pattern: url, path: url, command: url };
  const told = { ...reported, tool_input: input };
  assert.is((await ask('node', server.path, JSON.stringify(told))).code, 0);
  await server.close();
  const text = readFileSync(server.audit, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    lines.map(({ tool, target, rule }) => [tool, target, rule]),
    [
      ['AskUserQuestion', '', 'question-asked'],
      ['AskUserQuestion', '', 'question-answered'],
    ],
  );
  assert.not.match(text, 'ghp_');
});

test('DSK-6 a question holds its call longer than any client would wait for a decision, and the answer is its result', async () => {
  const servers = await Promise.all(
    clients.map(() =>
      startServer({
        // As long as a person takes: what is tried is that no client gives up.
        ask: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve({ kind: 'answer', answers: ['a "b"'] }), watcherAnswerTimeoutMs + 500);
          }),
      }),
    ),
  );
  const answers = await Promise.all(clients.map((client, index) => ask(client, servers[index]?.path ?? '', asking)));
  for (const [index, { code, stdout, stderr }] of answers.entries()) {
    assert.is(code, 0, `${clients[index]}: ${stderr}`);
    const { permissionDecision, updatedInput } = JSON.parse(stdout).hookSpecificOutput;
    assert.equal([permissionDecision, updatedInput.answers], ['allow', { 'Which one?': 'a "b"' }]);
  }
  for (const server of servers) await server.close();
  const lines = readFileSync(servers[0]?.audit ?? '', 'utf8')
    .trim()
    .split('\n');
  assert.equal(
    lines.map((line) => [JSON.parse(line).rule, JSON.parse(line).details]),
    [
      ['question-asked', 'Which one?'],
      ['question-answered', '"Which one?": "a \\"b\\""'],
    ],
  );
});

test('DSK-6 without an answer, or a CLI that gives none as a result, it is the reason of a block', async () => {
  const [client] = clients;
  if (client === undefined) throw new Error('there is one');
  const replies: readonly AgentQuestionReply[] = [
    { kind: 'proceed', why: 'No answer came within 1.0 s.' },
    { kind: 'answer', answers: ['a'] },
  ];
  for (const reply of replies) {
    const asks = claudeCallFacts.asks === null ? null : { ...claudeCallFacts.asks, answer: () => null };
    const server = await startServer({ calls: { ...claudeCallFacts, asks }, ask: async () => reply });
    const { code, stderr } = await ask(client, server.path, asking);
    assert.is(code, 2);
    assert.match(stderr, /\([0-9a-f]{12}\) \[person-asked\]/);
    assert.match(
      stderr,
      reply.kind === 'proceed' ? 'No answer came within 1.0 s. Continue' : 'answered. "Which one?": "a"',
    );
    assert.is(summarizeAudit(server.audit).blocked, 0, 'nothing was refused');
    await server.close();
  }
});

test('DSK-6 an agent asks so often and no more, only where it may, and is heard no longer once it has left', async () => {
  const [client] = clients;
  if (client === undefined) throw new Error('there is one');
  const never = await startServer();
  assert.match((await ask(client, never.path, asking)).stderr, /\[tool-not-allowed\]/);
  await never.close();
  const blocked = await startServer({
    policy: { ...policy, blocked_tools: ['AskUserQuestion'] },
    ask: async () => ({ kind: 'answer', answers: ['a'] }),
  });
  assert.match((await ask(client, blocked.path, asking)).stderr, /\[tool-(blocked|not-allowed)\]/);
  await blocked.close();
  let heard = 0;
  const bounded = await startServer({
    ask: limitNumberOfQuestions(async () => {
      heard += 1;
      return { kind: 'proceed', why: 'No.' };
    }),
  });
  for (let at = 0; at < maxQuestions; at += 1) await say(bounded.path, asking);
  assert.match(await say(bounded.path, asking), `You have already asked ${maxQuestions} times`);
  assert.is(heard, maxQuestions);
  await bounded.close();
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let isOver: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const held = await startServer({
    ask: (_, gone) => {
      gone.addEventListener('abort', () => isOver());
      isAsked();
      return new Promise(() => undefined);
    },
  });
  const socket = connect(held.path, () => socket.write(reported(asking)));
  await asked;
  socket.destroy();
  await over;
  await held.close();
});

test('WAT-2: a client that is given no socket blocks', () => {
  assert.is(spawnSync(process.execPath, [watcher], { input: call('a.txt') }).status, 2);
});

test('WAT-2: programs of the agent can neither fill the memory of the judge nor the disk with its audit', async () => {
  const server = await startServer();
  // Less than its head says: the judge has to wait for the rest.
  const part = Buffer.concat([Buffer.from('  16000000\n'), Buffer.alloc(2_000_000, 0x20)]);
  const sockets = Array.from({ length: 200 }, () => connect(server.path));
  let turnedAway = 0;
  const ended = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.on('close', () => {
          turnedAway += 1;
        });
        socket.resume();
        socket.write(part);
      }),
  );
  // More than those that are too many at once: of the others not all may bring what they have.
  await until('many are turned away', () => turnedAway >= 100);
  for (const socket of sockets) socket.destroy();
  await Promise.all(ended);
  assert.is((await ask('node', server.path, call('a.txt'))).code, 0);
  await server.close();

  const file = join(makeTempDir(), 'a.audit.jsonl');
  const long = { tool_name: 'x'.repeat(10_000), tool_input: { command: 'x'.repeat(10_000) }, cwd: '/' };
  const decision = { decision: 'block', rule: 'x', details: 'x'.repeat(100_000) } as const;
  const audit = openAuditLog(file, policy.agent_id, now, 40_000);
  audit.append(long, decision);
  audit.append(long, decision);
  assert.throws(() => {
    audit.append(long, decision);
    audit.append(long, decision);
  }, /has reached/);
  audit.close();
  assert.ok(readFileSync(file).length <= 40_000);
  assert.throws(() => openAuditLog(file, policy.agent_id, now, 100).append(null, decision), /has reached/);
});

test('egress: what is refused is logged so often and no more, what left always', () => {
  const file = join(makeTempDir(), 'egress.jsonl');
  const log = openEgressLog<GatewayLogLine>(file, now);
  const line = { method: 'GET', path: '/x', status: 403, tokens: 0 };
  for (let count = 0; count < 30_000; count += 1) log({ ...line, refused: 'path' });
  log({ ...line, refused: null });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.is(lines.length, 20_001);
  const last: unknown = JSON.parse(lines.at(-2) ?? '');
  assert.equal(last, { timestamp: now().toISOString(), ...line, refused: 'path; no more of these are logged' });
});

test('WAT-2 an agent that asks without end does not slow the judging of another one', async () => {
  const order: string[] = [];
  let begun = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const judge =
    (agent: string): DecisionServerOptions['decide'] =>
    () => {
      order.push(agent);
      begun();
      return { decision: 'allow', rule: 'allowed', details: '' };
    };
  const flooding = await startServer({ decide: judge('flooding') });
  const other = await startServer({ decide: judge('other') });
  const flood = Array.from({ length: 30 }, () => say(flooding.path, call('a.txt')));
  await hasBegun;
  await say(other.path, call('b.txt'));
  const place = order.indexOf('other');
  assert.ok(place < 20, `its turn was the ${place}th of ${order.length}`);
  await Promise.all(flood);
  await Promise.all([flooding.close(), other.close()]);
});

test('WAT-2 each agent has its turn, one judgement at a time, and more than it may wait for is refused', () => {
  const steps: (() => void)[] = [];
  const turns = createJudgingTurns((step) => steps.push(step));
  const order: string[] = [];
  const [first, second] = [{}, {}];
  const asked = Array.from({ length: 40 }, (_, at) => turns.ask(first, () => order.push(`first ${at}`)));
  assert.is(asked.filter(Boolean).length, 32);
  for (const at of [0, 1]) assert.ok(turns.ask(second, () => order.push(`second ${at}`)));
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    assert.is(steps.length, 0);
    step();
  }
  assert.equal(order.slice(0, 5), ['first 0', 'second 0', 'first 1', 'second 1', 'first 2']);
  assert.is(order.length, 34);
});

function call(file: string, content = 'x'): string {
  const tool_input = { file_path: join(worktree, file), content };
  return JSON.stringify({ tool_name: 'Write', cwd: worktree, tool_input, session_id: 's' });
}

async function startServer(
  options: Partial<Pick<DecisionServerOptions, 'ask' | 'calls' | 'decide' | 'policy' | 'replays'>> & {
    readonly auditFile?: string;
  } = {},
): Promise<{ path: string; audit: string; canaries(): number; close(): Promise<void> }> {
  const folder = makeTempDir();
  const path = join(folder, 'judge.sock');
  const audit = options.auditFile ?? join(folder, 'a.audit.jsonl');
  let canaries = 0;
  const { close } = await startDecisionServer({
    socketPath: path,
    policy: options.policy ?? policy,
    ...(options.replays === undefined ? {} : { replays: options.replays }),
    audit: openAuditLog(audit, policy.agent_id, now),
    decide: options.decide ?? decideToolCall,
    facts: uncachedPathFacts,
    calls: options.calls ?? claudeCallFacts,
    ...(options.ask === undefined ? {} : { ask: options.ask }),
    onCanary: () => {
      canaries += 1;
    },
  });
  return { path, audit, close, canaries: () => canaries };
}

function listen(path: string, answer: { readonly text: string; readonly ends: boolean }): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      socket.write(answer.text);
      if (answer.ends) socket.end();
    });
  });
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

function ask(
  client: WatcherClient,
  path: string,
  input: string,
  flags: readonly string[] = [],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const command = buildWatcherHookCommand(client, { tools: distDir, socket: path });
    const child = spawn('sh', ['-c', [command, ...flags].join(' ')]);
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      said.stderr += chunk;
    });
    child.on('close', (code) => resolve({ code, ...said }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function reported(text: string): string {
  return encodeWatcherRequest({ flag: '', name: '', text });
}

/** One call to the judge, and what it answers. */
function say(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(path, () => socket.write(reported(text)));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

test.run();
