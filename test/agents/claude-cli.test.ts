import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { plannerAnswerJsonSchema } from '../../lib/domain/config/agent-answers.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { isModelPermitted } from '../../lib/domain/config/configured-model.ts';
import { priceTokens } from '../../lib/domain/config/token-price.ts';
import type { AgentLaunch } from '../../lib/domain/ports/adapter.ts';
import { makePolicy } from '../support/model-agent.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { structuredAnswer } from '../support/model-roles.ts';
import { makeBareCell, prepare, runBare, writeWatcher } from '../support/model-run.ts';
import { startModelServer } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// The real client, as the adapter starts it, against a scripted model on loopback. Each start takes about a
// second, so each test proves several things.

const claude = findClaude();
const place = claude === null ? 'none' : enterNetworkNamespace();
const missing = claude === null ? 'Claude Code is not installed' : 'no network namespace can be made here';
const program = claude ?? '';
const adapter = getAdapter('claude', configSchema.parse({}));
const plan = { tasks: [{ id: 'task-001', title: 't', description: 'd', priority: 1, file_locks: ['src'] }] };
const planner = {
  role: 'planner',
  isReadOnly: true,
  answerSchema: plannerAnswerJsonSchema,
  policy: makePolicy({ role: 'planner', allowed_tools: ['Read', 'Glob', 'Grep'] }),
} as const;

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', `claude-cli: ${missing}`);

  live('WAT-3: an exit code of 2 blocks; the canary ran before the first request; no file is drawn in', async () => {
    const cell = makeBareCell();
    writeFileSync(join(cell.worktree, 'secret.txt'), 'TOP SECRET');
    let hadCanary = false;
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'echo "rule no-bash: use Edit" >&2; exit 2'),
      request: { prompt: 'Carry out what @secret.txt and /help say.', model: 'claude-opus-4-1' },
      script: (request) => {
        hadCanary ||= existsSync(cell.canary);
        return request.turn === 1
          ? {
              tool: 'Bash',
              input: { command: 'touch RAN', description: 'x' },
              usage: { cache_read_input_tokens: 7 },
            }
          : { text: 'It was blocked.' };
      },
    });
    assert.is(run.failure, null, run.stderr);
    assert.ok(hadCanary, 'canary');
    assert.not(existsSync(join(cell.worktree, 'RAN')));
    const [first, second] = run.server.requests;
    assert.match(second?.toolResults[0]?.text ?? '', 'rule no-bash: use Edit');
    assert.is(first?.model, 'claude-opus-4-1');
    assert.is(first?.prompt, 'Carry out what @secret.txt and /help say.');
    assert.not.match(JSON.stringify(first?.body), 'TOP SECRET');
    assert.equal([...(first?.tools ?? [])].sort(), ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write']);
    assert.match(`${first?.headers['x-api-key']}`, /^f{64}-inside-the-cell-only$/);
    assert.is(run.tokens, 227);
    assert.is(run.activity.at(-1)?.tokens, 227, 'live count');
    assert.ok(run.cost_usd > 0);
    assert.ok(run.activity.some(({ text }) => text === 'Bash touch RAN'));
    assert.is(run.text, 'It was blocked.');
  });

  live('WAT-2: a watcher that is missing blocks', async () => {
    const cell = makeBareCell();
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: join(cell.control, 'nosuch'),
      script: ({ turn }) =>
        turn === 1
          ? { tools: [{ tool: 'Bash', input: { command: 'touch RAN' } }, writeCall(cell.worktree)] }
          : { text: 'ok' },
    });
    assert.is(run.failure, null, run.stderr);
    assert.not(existsSync(join(cell.worktree, 'RAN')));
    assert.not(existsSync(join(cell.worktree, 'new.txt')));
  });

  live('BUD-1 list prices are those the client itself counts by', async () => {
    const usage = {
      ...{ input_tokens: 1_000, output_tokens: 200 },
      ...{ cache_read_input_tokens: 5_000, cache_creation_input_tokens: 400 },
    };
    for (const model of ['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-opus-4-1', 'claude-haiku-4-5']) {
      const cell = makeBareCell();
      const run = await runBare(adapter, {
        ...{ program, cell, hookCommand: writeWatcher(cell, 'exit 0'), request: { model } },
        script: () => ({ text: 'ok', usage }),
      });
      const ours = (priceTokens(model, usage) ?? 0) * run.server.requests.length;
      assert.ok(Math.abs(run.cost_usd - ours) < 1e-6, `${model}: ${run.cost_usd}, by our list ${ours}`);
      const live = run.activity.at(-1)?.cost_usd ?? 0;
      assert.ok(Math.abs(live - ours) < 1e-6, `${model}: ${live} while it ran`);
    }
  });

  live('BUD-1 what the client asks for an alias, and beside it, is what an agent may ask for', async () => {
    const policy = makePolicy({ role: 'worker', allowed_tools: ['Read', 'Agent'], blocked_tools: [] });
    const look = { description: 'look', prompt: 'find', subagent_type: 'Explore' };
    for (const model of ['sonnet[1m]', 'opus', 'haiku']) {
      const cell = makeBareCell();
      const run = await runBare(adapter, {
        ...{ program, cell, hookCommand: writeWatcher(cell, 'exit 0'), request: { model, policy } },
        script: ({ turn, tools }) =>
          turn === 1 && tools.includes('Agent') ? { tool: 'Agent', input: look } : { text: 'ok' },
      });
      const asked = new Set(run.server.requests.map((request) => request.model));
      for (const one of asked)
        assert.ok(isModelPermitted({ model, prices: {}, helper: 'haiku' }, one), `${model}: ${one}`);
      // Until 2.1.197 a sub-agent that looks is its small model; with 2.1.330 it is the agent's own.
      assert.ok(asked.size <= (model === 'haiku' ? 1 : 2), [...asked].join(' '));
    }
  });

  live('what the watcher allows is done, commands in bash', async () => {
    const cell = makeBareCell();
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'exit 0'),
      script: ({ turn }) =>
        turn === 1
          ? {
              tools: [
                { tool: 'Bash', input: { command: 'echo "$BASH_VERSION $HOME" > out.txt' } },
                writeCall(cell.worktree),
              ],
            }
          : { text: 'ok' },
    });
    assert.is(run.failure, null, run.stderr);
    assert.match(readFileSync(join(cell.worktree, 'out.txt'), 'utf8'), new RegExp(`^5\\S* ${cell.home}\n$`));
    assert.is(readFileSync(join(cell.worktree, 'new.txt'), 'utf8'), 'hello\n');
    assert.equal(readFileSync(cell.asked, 'utf8').trim().split('\n').sort(), ['Bash', 'Write']);
  });

  live('PLN-2: a structured answer arrives, asked for by a prompt too long for an argument', async () => {
    const cell = makeBareCell();
    const prompt = `Plan this.\n${'long line of material\n'.repeat(8_000)}The end.`;
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'exit 0'),
      request: { ...planner, prompt },
      script: () => structuredAnswer(plan),
    });
    assert.is(run.failure, null, run.stderr);
    assert.equal(run.answer, plan);
    assert.is(run.server.requests[0]?.prompt, prompt);
    assert.equal([...(run.server.requests[0]?.tools ?? [])].sort(), ['Glob', 'Grep', 'Read', 'StructuredOutput']);
    assert.is(readFileSync(cell.asked, 'utf8'), 'StructuredOutput\n', 'the watcher is asked for the answer too');
  });

  live('VAL-4: an answer in words alone is malformed, although the CLI calls it success', async () => {
    const cell = makeBareCell();
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'exit 0'),
      request: planner,
      script: () => ({ text: 'Here is my plan: none.' }),
    });
    assert.is(run.exitCode, 0);
    assert.is(run.failure?.kind, 'malformed-answer');
  });

  live('BUD-1: the budget in USD ends it', async () => {
    const cell = makeBareCell();
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'exit 0'),
      request: { budget: { unit: 'usd', limit: 0.05 } },
      script: () => ({ tool: 'Bash', input: { command: 'ls' }, usage: { input_tokens: 50_000 } }),
    });
    assert.is(run.failure?.kind, 'budget');
    assert.is(run.server.requests.length, 1);
    assert.is(run.tokens, 50_010);
  });

  live('LIF-5: an overloaded API is tried a few times, then said to be that', async () => {
    const cell = makeBareCell();
    const run = await runBare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'exit 0'),
      script: () => ({
        status: 529,
        type: 'overloaded_error',
        error: 'Overloaded',
        headers: { 'retry-after': '0' },
      }),
    });
    assert.is(run.failure?.kind, 'rate-limit');
    assert.is(run.failure?.retryable, true);
    assert.is(run.server.requests.length, 3);
  });

  const hasScript = spawnSync('script', ['--version']).status === 0;
  const interactive = testIf(test, place === 'inside' && hasScript, `claude-cli: ${missing}, or no terminal`);
  interactive('PLN-2: an interactive planner starts at once in a new home and leaves its plan behind', async () => {
    const cell = makeBareCell();
    const server = await startModelServer({ script: () => ({ text: `${JSON.stringify(plan)} AGREED` }) });
    const { launch } = prepare(adapter, {
      program,
      cell,
      hookCommand: writeWatcher(cell, 'exit 0'),
      baseUrl: server.url,
      request: { ...planner, isInteractive: true, conversation: randomUUID() },
    });
    // The words are on the screen before the transcript has them.
    const transcript = () => readIfThere(join(cell.home, launch.transcript ?? ''));
    const isReady = () => transcript().includes('AGREED');
    const output = await typeAtTerminal(launch, cell.worktree, { isReady, keys: ['/exit', '\r'] });
    await server.close();
    assert.is(output.exitCode, 0, output.text);
    assert.ok(existsSync(cell.canary), 'canary');
    assert.is(server.requests.length, 1);
    assert.equal(adapter.readTranscript(transcript()).answer, plan);
    assert.is(adapter.readTranscript(transcript()).tokens, 110);
  });
}

test.run();

/** Runs it at a terminal of its own; once `isReady`, the keys are pressed one by one. */
async function typeAtTerminal(
  launch: AgentLaunch,
  cwd: string,
  typing: { readonly isReady: () => boolean; readonly keys: readonly string[] },
): Promise<{ readonly exitCode: number | null; readonly text: string }> {
  const line = launch.argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const command = `stty cols 120 rows 40; exec ${line}`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd, env: launch.env, stdio: 'pipe' });
  const keys = [...typing.keys];
  let text = '';
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // Keys that came together are taken for pasted text: the last one is pressed again.
  const pressing = setInterval(() => {
    if (typing.isReady()) child.stdin.write((keys.length > 1 ? keys.shift() : keys[0]) ?? '');
  }, 200);
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(pressing);
  return { exitCode, text };
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function writeCall(worktree: string): { tool: string; input: Record<string, unknown> } {
  return { tool: 'Write', input: { file_path: join(worktree, 'new.txt'), content: 'hello\n' } };
}
