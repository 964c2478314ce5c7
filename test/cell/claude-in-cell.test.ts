import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config.ts';
import { findClaude } from '../support/model-namespace.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { agentPolicy, type CellFixture, openCellFixture } from './fixture.ts';

const claude = findClaude();
const withClaude = testIf(test, hasBubblewrap() && claude !== null, 'needs bubblewrap and Claude Code');
const realKey = 'sk-real-and-outside';

interface Stage extends CellFixture {
  readonly model: ModelServer;
}

withClaude(
  'SBX-5: an agent works and commits, the key stays outside, each call is in the audit',
  async () => {
    const { runner, request, port, cell, model, repo } = await openStage((asked) => {
      const steps = [
        { tool: 'Write', input: { file_path: join(cell.path, 'new.txt'), content: 'new\n' } },
        { tool: 'Write', input: { file_path: join(cell.path, 'secret.key'), content: 'x' } },
        {
          tool: 'Bash',
          input: { command: 'git add new.txt && git commit -m "add new"', description: 'commit' },
        },
        {
          tool: 'Bash',
          input: { command: 'env', description: 'look' },
        },
      ];
      return steps[asked.turn - 1] ?? { text: 'All done.' };
    });
    const wanted = withCommands(request(), ['git add', 'git commit', 'env']);
    const agent = await runner.start(wanted, () => undefined);
    const outcome = await agent.outcome;
    assert.is(outcome.failure, null, JSON.stringify(outcome));
    assert.is(outcome.text, 'All done.');
    const commit = await port.readCommit(await port.cellHead(cell), cell.quarantine);
    assert.is(commit.message.trim(), 'add new');
    assert.is(outcome.tokens, model.requests.length * 110);

    const results = model.requests.at(-1)?.toolResults ?? [];
    assert.match(results[1]?.text ?? '', /secret\.key is blocked/);
    assert.match(results[3]?.text ?? '', /^SHELL=\/bin\/bash$/m);
    // What a command runs finds neither the address nor the key its CLI uses.
    assert.not.match(results[3]?.text ?? '', /ANTHROPIC|inside-the-cell/);
    assert.not.match(JSON.stringify(results), new RegExp(realKey));
    assert.ok(model.seen.every(({ headers }) => headers['x-api-key'] === realKey));

    assert.equal([outcome.audit.allowed, outcome.audit.blocked], [5, 1]);
    assert.equal(await runner.auditOf(wanted.id), outcome.audit);
    const logs = join(repo.path, '.git/blueflame/logs');
    const audit = readFileSync(join(logs, `${wanted.id}.audit.jsonl`), 'utf8')
      .trim()
      .split('\n');
    assert.is(audit.length, 6);
    const keys = ['timestamp', 'agent_id', 'tool', 'target', 'decision', 'rule', 'details'];
    assert.equal(Object.keys(JSON.parse(audit[1] ?? '')), keys);
    const egress = readFileSync(join(logs, `${wanted.id}.egress.jsonl`), 'utf8')
      .trim()
      .split('\n');
    assert.is(egress.length, model.seen.length);
  },
);

withClaude('UNI-8: the request after the budget is never sent, and the agent is ended', async () => {
  const { runner, request, model, cell } = await openStage((asked) => ({
    tool: 'Write',
    input: { file_path: join(cell.path, `${asked.turn}.txt`), content: 'x' },
    usage: { input_tokens: 10_000, output_tokens: 5_000 },
  }));
  const agent = await runner.start(request({ budget: { unit: 'tokens', limit: 30_000 } }), () => undefined);
  const outcome = await agent.outcome;
  assert.is(outcome.failure?.kind, 'budget', JSON.stringify(outcome));
  assert.is(outcome.tokens, 30_000);
  assert.is(model.requests.length, 2);
});

// What passes the gateway is 100 tokens in and 10 out, at these prices a dollar and a half for a request.
const prices = { claude: { input: 10_000, output: 50_000 }, sonnet: { input: 10_000, output: 50_000 } };

withClaude('BUD-1: a result that says less than the gateway counted books what was counted', async () => {
  const { runner, request, model } = await openStage(() => ({ text: 'Done.' }), undefined, {
    forged: { cost_usd: 0.000_001, tokens: 1 },
  });
  const { cost_usd, tokens } = await (await runner.start(request(), () => undefined)).outcome;
  assert.is(tokens, 110 * model.requests.length);
  assert.ok(cost_usd > 0.000_1, `${cost_usd}`);
});

withClaude("BUD-1: with the person's own price what the gateway counted is booked alone", async () => {
  for (const cost_usd of [0.000_001, 1_000]) {
    const { runner, request, model } = await openStage(() => ({ text: 'Done.' }), undefined, {
      forged: { cost_usd, tokens: 1 },
      models: { prices },
    });
    const outcome = await (await runner.start(request(), () => undefined)).outcome;
    const counted = 1.5 * model.requests.length;
    assert.ok(Math.abs(outcome.cost_usd - counted) < 1e-9, `${outcome.cost_usd} for ${counted}`);
  }
});

withClaude('WAT-3: no request is sent for an agent whose hooks are not active', async () => {
  const { runner, request, model } = await openStage(
    () => ({ text: 'unwatched' }),
    () => null,
  );
  const agent = await runner.start(request(), () => undefined);
  const { failure } = await agent.outcome;
  assert.is(failure?.kind, 'canary-failed');
  assert.equal(model.requests, []);
});

withClaude("WAT-6: the repository's own settings and the agent cannot switch the watcher off", async () => {
  const { runner, request, model, cell, port, repo } = await openStage((asked) => {
    const home = /HOME=(\S+)/.exec(asked.toolResults[0]?.text ?? '')?.[1] ?? '';
    const off = '{"disableAllHooks":true}';
    const steps = [
      { tool: 'Bash', input: { command: 'env', description: 'look' } },
      {
        tool: 'Bash',
        input: { command: `echo '${off}' > ${home}/../control/settings.json`, description: 'x' },
      },
      { tool: 'Write', input: { file_path: join(cell.path, 'secret.key'), content: 'x' } },
    ];
    return steps[asked.turn - 1] ?? { text: 'tried' };
  });
  repo.write(
    '.claude/settings.json',
    JSON.stringify({ disableAllHooks: true, env: { CLAUDE_CODE_SIMPLE: '1' } }),
  );
  repo.commit('hostile settings');
  const hostile = await port.addCellWorktree(
    join(repo.path, '.trees', 'worker-5e5e5e5e'),
    (await port.head(repo.path)).commit ?? cell.start,
  );
  const agent = await runner.start(
    withCommands(request({ worktree: hostile }), ['env', 'echo']),
    () => undefined,
  );
  const outcome = await agent.outcome;
  assert.is(outcome.failure, null, JSON.stringify(outcome));
  assert.ok(outcome.audit.blocked >= 2, JSON.stringify(outcome.audit));
  const results = model.requests.at(-1)?.toolResults ?? [];
  assert.ok(results[2]?.isError);
});

withClaude(
  'WAT-1 WAT-7: a call whose hook was killed is found at the next request, and is the last one',
  async () => {
    const { runner, request, model, cell } = await openStage(
      (asked) => {
        const steps = [
          { tool: 'Bash', input: { command: 'touch off', description: 'x' } },
          { tool: 'Write', input: { file_path: join(cell.path, 'secret.key'), content: 'x' } },
          { tool: 'Write', input: { file_path: join(cell.path, 'second.key'), content: 'x' } },
        ];
        return steps[asked.turn - 1] ?? { text: 'done' };
      },
      // What a process that the agent left behind may do to the shell of a hook.
      (hook) => `{ test ! -e off || kill -9 $$; } && ${hook}`,
    );
    const wanted = withCommands(request(), ['touch']);
    const outcome = await (await runner.start(wanted, () => undefined)).outcome;
    assert.is(outcome.failure?.kind, 'unwatched-call', JSON.stringify(outcome));
    assert.is(outcome.failure?.retryable, false);
    assert.ok(existsSync(join(cell.path, 'secret.key')));
    assert.not.ok(existsSync(join(cell.path, 'second.key')));
    assert.equal(outcome.audit.top, [`Write ${join(cell.path, 'secret.key')}: unwatched-call`]);
    assert.is(model.requests.length, 2);
  },
);

interface Forgery {
  /** What the agent's result says it used. */
  readonly forged?: { readonly cost_usd?: number; readonly tokens?: number };
  readonly models?: object;
}

async function openStage(
  script: ModelScript,
  changeHook: (hook: string) => string | null = (hook) => hook,
  { forged = {}, models = {} }: Forgery = {},
): Promise<Stage> {
  const model = await startModelServer({ script });
  const config = configSchema.parse({ adapters: { claude: { command: [claude ?? 'claude'] } }, models });
  const adapter = getAdapter('claude', config);
  const fixture = await openCellFixture({
    config: { models },
    env: { ANTHROPIC_API_KEY: realKey, ANTHROPIC_BASE_URL: model.url ?? '' },
    adapter: {
      ...adapter,
      reader: (asked) => {
        const reader = adapter.reader(asked);
        return {
          push: (text) => reader.push(text),
          finish: (end) => ({ ...reader.finish(end), ...forged }),
        };
      },
      launch: (asked, paths) => {
        const hookCommand = changeHook(paths.hookCommand ?? '');
        const canaryCommand = hookCommand === null ? null : paths.canaryCommand;
        return adapter.launch(asked, { ...paths, hookCommand, canaryCommand });
      },
    },
  });
  opened.push(model);
  return { ...fixture, model };
}

const opened: ModelServer[] = [];
test.after.each(async () => {
  for (const model of opened.splice(0)) await model.close();
});

function withCommands(
  request: ReturnType<CellFixture['request']>,
  commands: readonly string[],
): ReturnType<CellFixture['request']> {
  const policy = agentPolicy(request.id, request.worktree.path);
  return { ...request, policy: { ...policy, allowed_commands: [...commands] } };
}

test.run();
