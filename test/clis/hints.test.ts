import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAudit } from '../../lib/cell/watcher/audit-log.ts';
import type { JsonRecord } from '../../lib/util/json.ts';
import { closeProjects, openClaudeProject } from '../support/claude-project.ts';
import { type HookedName, hands, hookedNames } from '../support/cli-hands.ts';
import { copilotFiles, findCli } from '../support/clis.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { startScriptedModel, type Turn } from '../support/scripted-model.ts';
import { testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';

// What a person tells agents at work, through the real clients.

const names = hookedNames;
const claude = findClaude();
const commands = {
  ...Object.fromEntries(names.map((name) => [name, findCli(name)])),
  claude: claude === null ? null : [claude],
};
const isThere = Object.values(commands).every((command) => command !== null);
const place = isThere ? enterNetworkNamespace() : 'none';
const needs = 'hints: needs a network namespace, claude, and the other CLIs where FLAME_TEST_CLIS says';

const models: Readonly<Record<HookedName, string>> = {
  claude: 'sonnet',
  codex: 'gpt-6-sol',
  opencode: 'anthropic/claude-sonnet-4-6',
  gemini: 'gemini-2.5-pro',
  kimi: 'kimi-k2.6',
  copilot: 'gpt-5.5',
};

const fileOf = (cli: HookedName): string => `notes/by-${cli}.txt`;
const hintFor = (cli: HookedName): string => `prefer-the-short-form-${cli}`;
const tasks = names.map((cli) => ({
  ...{ id: `by-${cli}`, group: cli, locks: [fileOf(cli)] },
  script: `Put the word ${cli} into ${fileOf(cli)}.`,
}));

const steps = (cli: HookedName): readonly Turn[] => [
  { calls: [hands[cli].write(fileOf(cli), cli)] },
  { calls: [hands[cli].run(`git add ${fileOf(cli)}`)] },
  { calls: [hands[cli].run(`git commit -qm "feat: note of ${cli}"`)] },
  { text: `${fileOf(cli)} is there.` },
];

const timesIn = (body: JsonRecord, text: string): number => JSON.stringify(body).split(text).length - 1;

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needs);
  test.after(closeProjects);

  live('DSK-6: a hint reaches the model of each CLI, stays in its place, and its fate is known', async () => {
    // What each request of an agent's held, by CLI: how often the hint, and where it ended.
    const held = new Map<HookedName, { readonly times: number; readonly at: number }[]>();
    const sent: Promise<readonly [HookedName, JsonRecord | undefined, number | null]>[] = [];
    let late: ReturnType<typeof project.flame> | undefined;
    const hint = (cli: HookedName): void => {
      const told = project.flame('agent', 'hint', `by-${cli}`, hintFor(cli));
      sent.push(told.then(({ lines, code }) => [cli, lines[0], code]));
    };
    const model = await startScriptedModel(
      ['anthropic', 'responses', 'gemini', 'chat'],
      async (_turn, { body, results }) => {
        const cli = names.find((name) => timesIn(body, `Put the word ${name} into`) > 0);
        if (cli === undefined) return { text: 'Done.' };
        const at = JSON.stringify(body).indexOf(hintFor(cli));
        held.set(cli, [...(held.get(cli) ?? []), { times: timesIn(body, hintFor(cli)), at }]);
        if (results.length === 0) {
          hint(cli);
          await until('the hint is left', () => isLeft(cli, 1));
        }
        if (cli === 'claude' && results.length === 3 && late === undefined) {
          late = project.flame('agent', 'hint', 'by-claude', 'too late');
          await until('the late hint is left', () => isLeft(cli, 2));
        }
        return steps(cli)[results.length] ?? { text: 'Done.' };
      },
    );
    const project = await openClaudeProject({
      script: () => ({ text: 'nobody asks this one' }),
      env: {
        ...copilotFiles,
        ...{ ANTHROPIC_BASE_URL: model.url },
        ...{ OPENAI_API_KEY: 'sk-made-up', OPENAI_BASE_URL: `${model.url}/v1` },
        ...{ GEMINI_API_KEY: 'AIza-made-up', GOOGLE_GEMINI_BASE_URL: model.url },
        ...{ MOONSHOT_API_KEY: 'sk-kimi-made-up', MOONSHOT_BASE_URL: `${model.url}/v1` },
      },
      config: {
        adapters: Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, { command }])),
        roles: { validator: { adapter: 'none' } },
        limits: { token_budget: { worker_usd: 9 } },
        models: {
          prices: { [models.opencode]: { input: 3, output: 15 } },
          groups: Object.fromEntries(names.map((cli) => [cli, { worker: { adapter: cli, model: models[cli] } }])),
        },
      },
    });
    const { repo, flame } = project;
    const runs = join(repo.path, '.git/blueflame/run');
    const isLeft = (cli: HookedName, count: number): boolean =>
      readdirSync(runs).some((agent) => {
        const [registered, folder] = [join(runs, agent, 'agent.json'), join(runs, agent, 'hints')];
        if (!existsSync(registered) || !existsSync(folder)) return false;
        return readFileSync(registered, 'utf8').includes(`"by-${cli}"`) && readdirSync(folder).length >= count;
      });
    const plan = writePlan(repo, tasks);
    const decisions = writeDecisions(repo, {
      plan: ['approve'],
      changesets: [Object.fromEntries(names.map((name) => [name, 'approve']))],
    });
    const run = await flame('run', 'Leave notes', '--from', plan, '--decisions-file', decisions);
    assert.is(run.code, 0, run.stderr);
    for (const cli of names) {
      const [first, ...others] = held.get(cli) ?? [];
      assert.is(first?.times, 0, cli);
      assert.ok(others.length >= 3, cli);
      assert.equal(
        others.map(({ times }) => times),
        others.map(() => 1),
        `${cli}: once in each request`,
      );
      assert.is(repo.git('show', `main:${fileOf(cli)}`), cli);
      const told = run.lines.filter(({ event, task }) => event === 'hint' && task === `by-${cli}`);
      assert.equal(
        told.slice(0, 2).map(({ state, text }) => `${state} ${text}`),
        [`seen ${hintFor(cli)}`, `followed ${hintFor(cli)}`],
        cli,
      );
      const [agent] = told.map((event) => String(event.agent));
      const audit = readAudit(join(repo.path, '.git/blueflame/logs', `${agent}.audit.jsonl`));
      assert.equal(
        audit
          .filter(({ tool }) => tool === 'hint')
          .map(({ rule }) => rule)
          .slice(0, 2),
        ['hint-seen', 'hint-followed'],
        cli,
      );
    }
    for (const [cli, line, code] of await Promise.all(sent))
      assert.equal([code, line?.state, line?.task], [0, 'seen', `by-${cli}`]);
    const missed = await late;
    assert.is(missed?.code, 1);
    assert.match(missed?.stderr ?? '', /ended before its next request to the model, so it did not receive the message/);
    assert.ok(
      run.lines.some(({ event, state, text }) => event === 'hint' && state === 'missed' && text === 'too late'),
    );
    await model.close();
  });
}

test.run();
