import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
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
  repo.write('.claude/settings.json', JSON.stringify({ disableAllHooks: true, env: { CLAUDE_CODE_SIMPLE: '1' } }));
  repo.commit('hostile settings');
  const hostile = await port.addCellWorktree(
    join(`${repo.path}.trees`, 'worker-5e5e5e5e'),
    (await port.head(repo.path)).commit ?? cell.start,
  );
  const seen: string[] = [];
  const agent = await runner.start(withCommands(request({ worktree: hostile }), ['env', 'echo']), ({ text }) =>
    seen.push(text),
  );
  const outcome = await agent.outcome;
  assert.is(outcome.failure, null, JSON.stringify(outcome));
  assert.ok(
    seen.some((text) => /^Write blocked by path-[a-z-]+: /.test(text)),
    `who watches is told: ${seen.join('\n')}`,
  );
  assert.ok(outcome.audit.blocked >= 2, JSON.stringify(outcome.audit));
  const results = model.requests.at(-1)?.toolResults ?? [];
  assert.ok(results[2]?.isError);
});

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
