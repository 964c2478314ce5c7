import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import { configSchema } from '../../../lib/domain/config/config.ts';
import type { ToldResult } from '../../../lib/domain/conversation.ts';
import type { DialectName } from '../../../lib/domain/model-api.ts';
import type { Adapter } from '../../../lib/domain/ports/adapter.ts';
import type { AgentOutcome, AgentRequest } from '../../../lib/domain/ports/agent-port.ts';
import { findCli, needsCli } from '../../support/clis.ts';
import { type ScriptedModel, startScriptedModel, type Turn } from '../../support/scripted-model.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { agentPolicy, type CellFixture, openCellFixture } from '../fixture.ts';

// One CLI against a scripted model, in cells as agents have them.

type Call = NonNullable<Turn['calls']>[number];

/** What differs from CLI to CLI. */
export interface HookedCli {
  readonly name: string;
  readonly model: string;
  readonly dialect: DialectName;
  readonly key: string;
  /** Its environment, for the address of a model. */
  env(url: string): Readonly<Record<string, string>>;
  /** The key as the model API was shown it. */
  shown(headers: Readonly<Record<string, unknown>>): unknown;
  write(path: string, content: string): Call;
  edit(path: string, from: string, to: string): Call;
  shell(command: string): Call;
  /** Calls of tools that are not offered: of a sub-agent, a server, a second shell, the web. */
  readonly absent: readonly Call[];
  readonly unknown: RegExp;
  readonly offered: readonly string[];
  readonly blocked: RegExp;
  /** A shell line that takes the hook out of the CLI's own settings. */
  readonly unhook: string;
}

interface Stage extends CellFixture {
  readonly model: ScriptedModel;
  readonly id: string;
  run(changes?: Partial<AgentRequest>, commands?: readonly string[]): Promise<AgentOutcome>;
}

/** Registers the tests that every hooked CLI has to pass. */
export function testHookedCli(test: Test, cli: HookedCli): void {
  const command = findCli(cli.name);
  const live = testIf(test, hasBubblewrap() && command !== null, needsCli(cli.name));
  const config = configSchema.parse({ adapters: { [cli.name]: { command: command ?? [cli.name] } } });
  const adapter = getAdapter(cli.name, config);
  const open = (turns: readonly Turn[], own: Partial<Adapter> = {}): Promise<Stage> =>
    openStage(cli, turns, { ...adapter, ...own });
  const deaf = (change: (hook: string) => string | null): Partial<Adapter> => ({
    launch: (request, paths) => {
      const hookCommand = change(paths.hookCommand ?? '');
      const canaryCommand = hookCommand === null ? null : paths.canaryCommand;
      return adapter.launch(request, { ...paths, hookCommand, canaryCommand });
    },
  });

  live(`WAT-3 PLN-1: ${cli.name} says its version, and is denied what the policy forbids`, async () => {
    const { runner, model } = await open([]);
    assert.match(await runner.checkAdapter(cli.name), /^\d+\.\d+\.\d+$/);
    const { denied, details } = await runner.canary(cli.name, cli.model);
    assert.ok(denied, details);
    assert.is(model.seen.length, 0);
  });

  live(
    `ADP-2 SBX-5: ${cli.name} works and commits, what is forbidden is blocked, the key stays outside`,
    async () => {
      const stage = await open([
        {
          calls: [cli.write('new.txt', 'new\n'), cli.write('secret.key', 'x'), cli.shell('touch ../outside')],
        },
        { calls: [cli.shell('git add new.txt && git commit -qm "add new"'), cli.shell('env')] },
        { calls: cli.absent },
        // The same once more, and one that fails by itself: what was allowed may fail.
        { calls: [cli.shell('cat new.txt'), cli.shell('cat new.txt'), cli.shell('cat nothing')] },
        { calls: [cli.edit('nothing.txt', 'a', 'b')] },
        { text: 'All done.' },
      ]);
      const outcome = await stage.run();
      assert.is(outcome.failure, null, JSON.stringify(outcome));
      assert.is(outcome.text, 'All done.');
      assert.is(outcome.tokens, 6 * 110);
      const commit = await stage.port.readCommit(
        await stage.port.cellHead(stage.cell),
        stage.cell.quarantine,
      );
      assert.is(commit.message.trim(), 'add new');
      assert.not(existsSync(join(stage.cell.path, 'secret.key')));
      checkResults(cli, stage.model.results());
      checkRequests(cli, stage.model);
      assert.ok(outcome.audit.blocked >= 2, JSON.stringify(outcome.audit));
      const logs = join(stage.repo.path, '.git/blueflame/logs');
      const egress = readFileSync(join(logs, `${stage.id}.egress.jsonl`), 'utf8');
      assert.not.match(egress, new RegExp(cli.key));
    },
  );

  live(`UNI-8: the request of ${cli.name} after the budget is never sent`, async () => {
    const turns = Array.from({ length: 20 }, (_, index) => ({
      calls: [cli.shell(`cat README.md # ${index}`)],
      usage: { input_tokens: 10_000, output_tokens: 5_000 },
    }));
    const stage = await open(turns);
    const outcome = await stage.run({ budget: { unit: 'tokens', limit: 30_000 } });
    assert.is(outcome.failure?.kind, 'budget', JSON.stringify(outcome));
    assert.is(outcome.tokens, 30_000);
    assert.is(stage.model.seen.length, 2);
  });

  live(
    `WAT-2: a hook of ${cli.name} that was killed, replaced or taken out ends it or still blocks`,
    async () => {
      const touch = { calls: [cli.shell('touch off')] };
      const forbidden = { calls: [cli.write('secret.key', 'x')] };
      // What a process that the agent left behind may do to the shell of a hook.
      const killed = deaf((hook) => `{ test ! -e off || kill -9 $$; } && ${hook}`);
      for (const own of [killed, deaf(() => 'true')]) {
        const stage = await open([touch, forbidden, touch], own);
        const outcome = await stage.run();
        assert.is(outcome.failure?.kind, 'unwatched-call', JSON.stringify(outcome));
        assert.ok(stage.model.seen.length <= 2, String(stage.model.seen.length));
      }
      const stage = await open([{ calls: [cli.shell(cli.unhook)] }, forbidden, { text: 'tried' }]);
      const outcome = await stage.run({}, ['sed -i']);
      assert.not(existsSync(join(stage.cell.path, 'secret.key')));
      assert.is(outcome.failure, null, JSON.stringify(outcome));
      assert.match(stage.model.results().at(-1)?.text ?? '', cli.blocked);
    },
  );

  live(`WAT-3: no request is sent for ${cli.name} without its hooks`, async () => {
    const stage = await open(
      [],
      deaf(() => null),
    );
    const outcome = await stage.run();
    assert.is(outcome.failure?.kind, 'canary-failed');
    assert.equal(stage.model.seen, []);
  });

  live(
    `LIF-5: how a service refuses is told as what it is, and ${cli.name} does not wait in silence`,
    async () => {
      const quota = { error: { code: 429, message: 'x', type: 'insufficient_quota' } };
      const denied = { error: { code: 401, message: 'Invalid API key.', status: 'UNAUTHENTICATED' } };
      for (const [status, body, kind] of [
        [401, denied, 'auth'],
        [429, quota, 'auth'],
      ] as const) {
        const stage = await open([1, 2, 3, 4, 5, 6, 7].map(() => ({ fails: { status, body } })));
        const { failure } = await stage.run();
        assert.equal([failure?.kind, failure?.retryable], [kind, false], JSON.stringify(failure));
        assert.ok(stage.model.seen.length <= 4, String(stage.model.seen.length));
      }
    },
  );

  live(`PLN-2: an answer of ${cli.name} is read from its last words`, async () => {
    const answerSchema = { type: 'object', properties: { verdict: { type: 'string' } } };
    const stage = await open([{ text: 'Here it is:\n```json\n{"verdict": "pass",}\n```\n' }]);
    const outcome = await stage.run({ role: 'validator', answerSchema, isReadOnly: true });
    assert.is(outcome.failure, null, JSON.stringify(outcome));
    assert.equal(outcome.answer, { verdict: 'pass' });
    assert.match(JSON.stringify(stage.model.seen[0]?.body), /matches this JSON Schema/);
  });

  test.after.each(async () => {
    for (const model of opened.splice(0)) await model.close();
  });
}

const opened: ScriptedModel[] = [];

async function openStage(cli: HookedCli, turns: readonly Turn[], adapter: Adapter): Promise<Stage> {
  const model = await startScriptedModel([cli.dialect], (turn) => turns[turn - 1] ?? { text: 'Done.' });
  opened.push(model);
  const fixture = await openCellFixture({ adapter, env: cli.env(model.url) });
  const base = fixture.request({ adapter: cli.name, model: cli.model, systemPrompt: 'You work.' });
  return {
    ...{ ...fixture, model, id: base.id },
    run: async (changes = {}, commands: readonly string[] = []) => {
      const policy = {
        ...agentPolicy(base.id, base.worktree.path),
        allowed_tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'LS', 'Bash'],
        allowed_commands: ['git add', 'git commit', 'env', 'cat', 'touch', ...commands],
      };
      return (await fixture.runner.start({ ...base, policy, ...changes }, () => undefined)).outcome;
    },
  };
}

function checkResults(cli: HookedCli, results: readonly ToldResult[]): void {
  const text = (index: number): string => results[index]?.text ?? '';
  assert.not.match(text(0), /ERROR|error/);
  assert.match(text(1), cli.blocked);
  assert.match(text(1), 'secret.key is blocked');
  assert.match(text(2), cli.blocked);
  // What a command runs finds neither the address nor the key its CLI uses.
  assert.match(text(4), /^(?:Output: )?SHELL=\/bin\/bash$/m);
  assert.not.match(text(4), /inside-the-cell|_BASE_URL|_API_KEY/);
  for (const [index, { name }] of cli.absent.entries()) assert.match(text(5 + index), cli.unknown, name);
  const after = 5 + cli.absent.length;
  for (const index of [after, after + 1]) assert.match(text(index), /^(?:Output: )?new$/m);
}

function checkRequests(cli: HookedCli, { seen }: ScriptedModel): void {
  assert.ok(seen.every(({ headers }) => cli.shown(headers) === cli.key));
  assert.not.match(JSON.stringify(seen.map(({ body }) => body)), new RegExp(cli.key));
  const tools = JSON.stringify(seen[0]?.body.tools);
  const names = [...tools.matchAll(/"name":"([A-Za-z_]+)","description"/g)].map(([, name]) => name);
  assert.equal([...names].sort(), [...cli.offered].sort());
}
