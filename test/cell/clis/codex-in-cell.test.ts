import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import { configSchema } from '../../../lib/domain/config/config.ts';
import type { Adapter } from '../../../lib/domain/ports/adapter.ts';
import { findCli, needsCli } from '../../support/clis.ts';
import { type ScriptedModel, startScriptedModel, type Turn } from '../../support/scripted-model.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { agentPolicy, type CellFixture, openCellFixture } from '../fixture.ts';

// The real Codex against a scripted model, in cells as agents have them.

const codex = findCli('codex');
const live = testIf(test, hasBubblewrap() && codex !== null, needsCli('codex'));
const config = configSchema.parse({ adapters: { codex: { command: codex ?? ['codex'] } } });
const adapter = getAdapter('codex', config);
const realKey = 'sk-real-and-outside';
const model = 'gpt-6-sol';

const patch = (path: string, line: string): NonNullable<Turn['calls']>[number] => ({
  name: 'apply_patch',
  input: `*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch`,
});
const run = (cmd: string, more: object = {}): NonNullable<Turn['calls']>[number] => ({
  name: 'exec_command',
  input: { cmd, ...more },
});

interface Stage extends CellFixture {
  readonly model: ScriptedModel;
}

async function openStage(turns: readonly Turn[], own: Partial<Adapter> = {}): Promise<Stage> {
  const scripted = await startScriptedModel(['responses'], (turn) => turns[turn - 1] ?? { text: 'Done.' });
  const fixture = await openCellFixture({
    adapter: { ...adapter, ...own },
    env: { OPENAI_API_KEY: realKey, OPENAI_BASE_URL: `${scripted.url}/v1` },
  });
  return { ...fixture, model: scripted };
}

function worker({ request }: CellFixture): ReturnType<CellFixture['request']> {
  const base = request({ adapter: 'codex', model, budget: { unit: 'tokens', limit: 0 } });
  const policy = {
    ...agentPolicy(base.id, base.worktree.path),
    allowed_tools: ['Read', 'Write', 'Edit', 'Bash'],
    allowed_commands: ['git add', 'git commit', 'env', 'cat', 'sleep'],
  };
  return { ...base, policy };
}

test('ADP-2: what holds less firmly than with others is said', () => {
  assert.ok(adapter.weaker.length > 0);
});

live('WAT-3: the real CLI is denied what the policy forbids, hears why, and would be found out', async () => {
  const { runner, model: scripted } = await openStage([]);
  assert.equal(await runner.canary('codex', model), { denied: true, details: 'denied by tool-not-allowed' });
  assert.is(scripted.seen.length, 0);
  await scripted.close();
});

live('PLN-1: the version is read from the real CLI', async () => {
  const { runner, model: scripted } = await openStage([]);
  assert.match(await runner.checkAdapter('codex'), /^\d+\.\d+\.\d+$/);
  await scripted.close();
});

live('ADP-2: allowed work is committed, what is forbidden is blocked, the key stays outside', async () => {
  const stage = await openStage([
    { calls: [patch('new.txt', 'new'), patch('secret.key', 'x'), run('touch ../outside.txt')] },
    { calls: [run('git add new.txt && git commit -qm "add new"'), run('env'), run('sleep 1; cat new.txt')] },
    {
      calls: [{ name: 'spawn_agent', input: { task: 'x' } }, { name: 'mcp__x__y', input: {} }, run('nmap x')],
    },
    { text: 'All done.' },
  ]);
  const { runner, cell, port, repo } = stage;
  const wanted = worker(stage);
  const outcome = await (await runner.start(wanted, () => undefined)).outcome;
  assert.is(outcome.failure, null, JSON.stringify(outcome));
  assert.is(outcome.text, 'All done.');
  assert.is(outcome.tokens, 4 * 110);
  const commit = await port.readCommit(await port.cellHead(cell), cell.quarantine);
  assert.is(commit.message.trim(), 'add new');
  assert.not(existsSync(join(cell.path, 'secret.key')));
  const [first, second, third, , environment, read, agent, server, unknown] = stage.model.results();
  assert.match(first?.text ?? '', /^Exit code: 0/);
  assert.match(second?.text ?? '', /blocked by PreToolUse hook: secret\.key is blocked/);
  assert.match(third?.text ?? '', /\[bash-not-allowed\]|\[path-outside\]/);
  assert.match(environment?.text ?? '', /^SHELL=\/bin\/bash$/m);
  assert.not.match(environment?.text ?? '', /OPENAI|inside-the-cell/);
  assert.match(read?.text ?? '', /^new$/m);
  assert.match(agent?.text ?? '', /^unsupported call: spawn_agent/);
  assert.match(server?.text ?? '', /^unsupported call: mcp__x__y/);
  assert.match(unknown?.text ?? '', /\[bash-not-allowed\]/);
  assert.ok(stage.model.seen.every(({ headers }) => headers.authorization === `Bearer ${realKey}`));
  assert.not.match(JSON.stringify(stage.model.seen.map(({ body }) => body)), new RegExp(realKey));
  const offered = stage.model.seen[0]?.body.tools as readonly { name: string }[];
  assert.equal(
    offered.map(({ name }) => name),
    ['exec_command', 'write_stdin', 'request_user_input', 'apply_patch'],
  );
  const audit = readFileSync(join(repo.path, '.git/blueflame/logs', `${wanted.id}.audit.jsonl`), 'utf8');
  assert.match(audit, /"tool":"Write","target":"secret\.key","decision":"block","rule":"path-blocked"/);
  assert.ok(outcome.audit.blocked >= 3);
  await stage.model.close();
});

live('UNI-8: the request after the budget is never sent', async () => {
  const turns = Array.from({ length: 20 }, (_, index) => ({
    calls: [run(`cat README.md # ${index}`)],
    usage: { input_tokens: 5_000, output_tokens: 500 },
  }));
  const stage = await openStage(turns);
  const request = { ...worker(stage), budget: { unit: 'tokens', limit: 20_000 } as const };
  const outcome = await (await stage.runner.start(request, () => undefined)).outcome;
  assert.is(outcome.failure?.kind, 'budget');
  assert.ok(stage.model.seen.length < 5, String(stage.model.seen.length));
  await stage.model.close();
});

live('WAT-2: a hook that was replaced, or killed, in the midst of a run ends the agent at once', async () => {
  for (const hook of ['true', "sh -c 'kill -9 $$'"]) {
    const deaf: Partial<Adapter> = {
      launch: (request, paths) => adapter.launch(request, { ...paths, hookCommand: hook }),
    };
    const stage = await openStage(
      [{ calls: [run('touch README.md')] }, { calls: [run('cat README.md')] }],
      deaf,
    );
    const outcome = await (await stage.runner.start(worker(stage), () => undefined)).outcome;
    assert.is(outcome.failure?.kind, 'unwatched-call', hook);
    assert.is(stage.model.seen.length, 1, hook);
    await stage.model.close();
  }
});

live('WAT-4: a command for another shell, and text for a running one, end the agent', async () => {
  const started = run('cat', { yield_time_ms: 250, tty: true });
  const write: Turn = { calls: [{ name: 'write_stdin', input: { session_id: 1, chars: 'rm x\n' } }] };
  for (const turns of [[{ calls: [run('cat README.md', { shell: 'sh' })] }]]) {
    const stage = await openStage(turns);
    const outcome = await (await stage.runner.start(worker(stage), () => undefined)).outcome;
    assert.is(outcome.failure?.kind, 'unwatched-call');
    await stage.model.close();
  }
  const scripted = await startScriptedModel(['responses'], (turn, { results }) => {
    if (turn === 1) return { calls: [started] };
    const session = Number(/session ID (\d+)/.exec(results[0]?.text ?? '')?.[1]);
    return turn === 2
      ? { calls: [{ ...write.calls![0]!, input: { session_id: session, chars: 'x\n' } }] }
      : {};
  });
  const fixture = await openCellFixture({
    adapter,
    env: { OPENAI_API_KEY: realKey, OPENAI_BASE_URL: `${scripted.url}/v1` },
  });
  const outcome = await (await fixture.runner.start(worker(fixture), () => undefined)).outcome;
  assert.is(outcome.failure?.kind, 'unwatched-call', JSON.stringify(scripted.results()));
  await scripted.close();
});

test.run();
