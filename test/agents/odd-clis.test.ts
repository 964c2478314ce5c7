import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import type { AgentEnd, AgentResultParts } from '../../lib/domain/ports/adapter.ts';
import { makeRequest } from '../support/model-agent.ts';

// Programs that are not what they should be, or end as they shouldn't, by what the real ones print.

interface Recorded {
  readonly version: string;
  readonly begun: object;
  readonly done: object;
  /** Without any credential, and not in a cell. */
  readonly login: { readonly events: readonly object[]; readonly stderr: string; readonly exitCode: number };
}

const clis: Readonly<Record<string, Recorded>> = {
  claude: {
    version: '2.1.197 (Claude Code)\n',
    begun: { type: 'system', subtype: 'init', model: 'sonnet', tools: [] },
    done: {
      ...{ type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed' },
      ...{ stop_reason: 'end_turn', num_turns: 1, result: 'Done.', total_cost_usd: 0, usage: {} },
    },
    login: {
      events: [
        { type: 'system', subtype: 'init', model: 'sonnet', tools: [] },
        { type: 'result', subtype: 'success', is_error: true, result: 'Not logged in · Please run /login' },
      ],
      ...{ stderr: '', exitCode: 1 },
    },
  },
  codex: {
    version: 'codex-cli 0.169.0\n',
    begun: { type: 'thread.started', thread_id: '01a2045d' },
    done: { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    login: {
      events: [
        { type: 'thread.started', thread_id: '01a2063d-f343-7263-a8a2-90e3e503b041' },
        { type: 'turn.started' },
        { type: 'error', message: 'Missing environment variable: `OPENAI_API_KEY`.' },
        {
          type: 'turn.failed',
          error: { message: 'Missing environment variable: `OPENAI_API_KEY`.' },
        },
      ],
      ...{ stderr: 'Reading additional input from stdin...\n', exitCode: 1 },
    },
  },
  opencode: {
    version: '1.18.33\n',
    begun: { type: 'step_start', sessionID: 'ses_1', part: { type: 'step-start' } },
    done: { type: 'step_finish', sessionID: 'ses_1', part: { reason: 'stop', cost: 0 } },
    login: {
      events: [{ type: 'error', sessionID: 'ses_1', error: { name: 'UnknownError', data: { message: 'x' } } }],
      ...{ stderr: '', exitCode: 1 },
    },
  },
  gemini: {
    version: '0.61.0\n',
    begun: { type: 'init', session_id: '1', model: 'gemini-2.5-pro' },
    done: { type: 'result', status: 'success', stats: { total_tokens: 1 } },
    login: {
      events: [],
      stderr:
        'Please set an Auth method in your /home/x/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA\n',
      exitCode: 41,
    },
  },
  kimi: {
    version: '2.1.0\n',
    begun: { role: 'meta', type: 'system.version', version: '2.1.0' },
    done: { role: 'meta', type: 'session.resume_hint', session_id: '1' },
    login: {
      events: [{ role: 'meta', type: 'system.version', version: '2.1.0' }],
      stderr:
        'error: failed to run prompt: No model configured. Run `kimi` and use /login to sign in, then retry; or set default_model in config.toml.\n',
      exitCode: 1,
    },
  },
  copilot: {
    version: 'Copilot binary version: 1.0.102\n',
    begun: { type: 'user.message', data: { content: 'x' } },
    done: { type: 'result', sessionId: '1', exitCode: 0, usage: { premiumRequests: 0 } },
    login: {
      events: [],
      stderr:
        "Error: No authentication information found.\n\nCopilot can be authenticated with GitHub using an OAuth Token or a Fine-Grained Personal Access Token.\n\nTo authenticate, you can use any of the following methods:\n  • Start 'copilot' and run the '/login' command\n",
      exitCode: 1,
    },
  },
};

const ended: AgentEnd = {
  ...{ exitCode: 0, signal: null, timedOut: false, stoppedBecause: null },
  ...{ stderr: '', at: 0 },
};

function read(name: string, output: string, end: Partial<AgentEnd> = {}): AgentResultParts {
  const reader = getAdapter(name, configSchema.parse({})).reader(makeRequest({ adapter: name }));
  reader.push(output);
  return reader.finish({ ...ended, ...end });
}

const lines = (...events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

for (const [name, { version, begun, done, login }] of Object.entries(clis)) {
  test(`PLN-1: the version of ${name} is read between what else it prints, and of no other program`, () => {
    const { parse } = getAdapter(name, configSchema.parse({})).version;
    const plain = parse(version);
    assert.match(plain ?? '', /^\d+\.\d+\.\d+$/);
    assert.is(parse(`A new version is available: 99.0.0\n${version}Updated itself in the background.\n`), plain);
    for (const other of ['', '\n', 'surprise\n', 'version unknown\n', 'usage: x [-v]\n', 'v\n', '1.2\n'])
      assert.is(parse(other), null, other);
  });

  test(`LIF-5: ${name} that ends with 0 has done nothing until it says so`, () => {
    assert.is(read(name, lines(begun, done)).failure, null);
    const failures = {
      'nothing at all': read(name, ''),
      'words alone': read(name, 'Updating… done. Please start again.\n'),
      'no end': read(name, lines(begun)),
      'half of its last line': read(name, `${lines(begun)}${JSON.stringify(done).slice(0, -5)}`),
      'half a line, then another program': read(name, `${lines(begun)}${JSON.stringify(done).slice(0, 12)}\nbye\n`),
    };
    for (const [what, { failure }] of Object.entries(failures)) assert.ok(failure !== null, what);
    // opencode says it of each step.
    if (name !== 'opencode')
      assert.is(read(name, lines(begun, done, done)).failure?.kind, 'forged-result', 'said twice');
    assert.is(failures['nothing at all'].failure?.retryable, false);
    assert.is(failures['words alone'].failure?.retryable, false);
  });

  test(`LIF-2: ${name} that hangs at its first request, or waits for a service for minutes, is out of time`, () => {
    for (const output of ['', lines(begun), lines(begun, { type: 'error', message: 'Reconnecting... 5/5' })])
      assert.is(
        read(name, output, { exitCode: null, signal: 'SIGKILL', timedOut: true }).failure?.kind,
        'agent-timeout',
      );
  });

  test(`LIF-5: ${name} that said it is done, and ends with another code, did not`, () => {
    for (const exitCode of [1, 2, 145, 173])
      assert.ok(read(name, lines(begun, done), { exitCode }).failure !== null, String(exitCode));
  });

  test(`LIF-5: where ${name} wants a person to sign in, waiting is no help`, () => {
    const { events, ...end } = login;
    const { failure } = read(name, lines(...events), end);
    assert.is(failure?.retryable, false, JSON.stringify(failure));
    assert.is(failure?.kind, name === 'opencode' ? 'agent-error' : 'auth', JSON.stringify(failure));
  });
}

test.run();
