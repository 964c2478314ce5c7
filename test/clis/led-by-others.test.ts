import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { leadTools } from '../../lib/domain/lead-tools.ts';
import type { ConversationResult } from '../../lib/domain/ports/call-facts.ts';
import { processesAbout, tasksOf } from '../support/claude-project.ts';
import { type HookedName, hookedNames } from '../support/cli-hands.ts';
import { openCliProject } from '../support/cli-project.ts';
import { findCli, needsCli } from '../support/clis.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { type Leader, leaders } from '../support/leaders.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import { provesRole } from '../support/proven-table.ts';
import type { Turn } from '../support/scripted-model.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

// Sessions that other CLIs than claude lead, from the objective to what landed; workers are scripts.

// opencode alone takes as long as the others together: FLAME_TEST_LEADER=opencode node build/test/run.js e2e/led-by-others
const asked = process.env.FLAME_TEST_LEADER;
const usual: readonly HookedName[] = ['codex', 'gemini', 'kimi', 'copilot'];
const wanted = hookedNames.filter((name) => (asked === undefined ? usual.includes(name) : name === asked));
const isThere = hasBubblewrap() && wanted.every((name) => findCli(name) !== null);
const place = isThere ? enterNetworkNamespace() : 'none';
const prices = { input: 5, output: 30 };
const task = {
  ...{ id: 'one', title: 'Add one', file_locks: ['src/one.txt'] },
  description: "echo one > src/one.txt && git add -A && git commit -qm 'feat: one'",
};

/** Tries what is not hers, proposes, assigns, waits until it is judged, looks, approves and hands over. */
function leads({ prefix, forbidden }: Leader, results: readonly ConversationResult[]): Turn {
  const call = (tool: string, input: object = {}): Turn => ({
    calls: [{ name: `${prefix}${tool}`, input: { ...input } }],
  });
  const next = forbidden[results.length];
  if (next !== undefined) return { calls: [next] };
  if (results.length > 30) return { text: 'I give up.' };
  const told = (tool: string) => results.filter(({ name }) => name?.endsWith(tool) === true);
  if (told('create_tasks').length === 0) return call('create_tasks', { tasks: [task] });
  if (told('assign_task').length === 0) return call('assign_task');
  const heard = told('wait_for_workers').map(({ text }) => text.replaceAll('\\"', '"'));
  if (!heard.some((text) => text.includes('"verdict":"pass"'))) {
    const cursor = /"cursor":"(c\d+)"/.exec(heard.at(-1) ?? '')?.[1];
    return call('wait_for_workers', { timeout_s: 30, ...(cursor === undefined ? {} : { cursor }) });
  }
  if (told('get_task_output').length === 0) return call('get_task_output', { task_id: 'one', part: 'diff' });
  if (told('approve_task').length === 0) return call('approve_task', { task_id: 'one' });
  if (told('complete').length === 0) return call('complete', { summary: 'One file.' });
  return { text: 'One file was added.' };
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needsCli(wanted.join(', ')));

  for (const name of wanted) {
    const leader = leaders[name];
    if (leader === undefined) continue;
    live(`QUE-1: ${name} leads from the objective to what lands, by our tools alone`, async () => {
      const { repo, root, model, flame } = await openCliProject(
        {
          roles: { queen: { adapter: name }, worker: { adapter: 'exec' } },
          models: { queen: leader.model, prices: { [leader.model]: prices } },
          adapters: { [name]: { command: findCli(name) } },
        },
        (_, { results }) => leads(leader, results),
        [leader.dialect],
      );
      test.after(model.close);
      const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
      const run = await flame('run', '--queen', 'One file', '--decisions-file', decisions);
      assert.is(run.code, 0, run.stderr + run.stdout);
      assert.equal(
        tasksOf(run).map(({ id, status }) => `${id} ${status}`),
        ['one merged'],
      );
      assert.is(repo.git('show', 'main:src/one.txt'), 'one');
      const { agent } = run.lines.find(({ event }) => event === 'queen-call') ?? {};
      const costs = run.lines.filter(({ event }) => event === 'queen-call').map(({ cost_usd }) => Number(cost_usd));
      assert.ok(
        costs.every((cost, index) => cost > (costs[index - 1] ?? 0)),
        `${costs}`,
      );
      const audit = readFileSync(join(repo.path, '.git/blueflame/logs', `${agent}.audit.jsonl`), 'utf8');
      for (const tool of ['create_tasks', 'approve_task', 'complete'])
        assert.match(audit, new RegExp(`"tool":"mcp__flame__${tool}".*"decision":"allow"`));
      const offered = JSON.stringify(model.seen.map(({ body }) => body.tools));
      for (const tool of leadTools) assert.match(offered, new RegExp(`"${leader.prefix}${tool}"|"${tool}"`));
      for (const tool of leader.forbidden) assert.not.match(offered, `"${tool.name}"`);
      assert.not.match(offered, /characters_in_all/, 'an output schema costs her nothing');
      const diffs = model.results().filter(({ text }) => text.includes('characters_in_all'));
      assert.equal(
        diffs.map(({ text }) => text.split('characters_in_all').length - 1),
        [1],
        'an answer is shown to her once',
      );
      assert.equal(processesAbout(root), []);
      provesRole(name, 'queen');
    });
  }

  const [first] = wanted;
  const spender = first === undefined ? undefined : leaders[first];
  if (first !== undefined && spender !== undefined)
    live(`QUE-1 BUD-1: ${first} leads no further than queen_usd pays, and the waves go on`, async () => {
      const limit = 1.2;
      const usage = { input_tokens: 80_000, output_tokens: 10 };
      const { repo, model, flame } = await openCliProject(
        {
          roles: { queen: { adapter: first }, worker: { adapter: 'exec' } },
          models: { queen: spender.model, prices: { [spender.model]: prices } },
          adapters: { [first]: { command: findCli(first) } },
          limits: { token_budget: { queen_usd: limit } },
        },
        (turn, asked) => {
          const told = leads({ ...spender, forbidden: [] }, asked.results);
          // Once all is assigned she looks around, for as long as she is let.
          const looks = { calls: [{ name: `${spender.prefix}get_status`, input: { cursor: turn } }] };
          return {
            ...(asked.results.some(({ name }) => name?.endsWith('assign_task')) ? looks : told),
            usage,
          };
        },
        [spender.dialect],
      );
      test.after(model.close);
      const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
      const run = await flame('run', '--queen', 'One file', '--decisions-file', decisions);
      assert.is(run.code, 0, run.stderr + run.stdout);
      assert.match(run.stdout, /no longer leads: [^"]*budget[^"]*The session continues without it/i);
      const each = (usage.input_tokens * prices.input + usage.output_tokens * prices.output) / 1e6;
      const paid = model.seen.length * each;
      assert.ok(paid <= limit, `${model.seen.length} requests, $${paid}`);
      assert.ok(paid + 2 * each > limit, `she was stopped at $${paid} already`);
      assert.is(repo.git('show', 'main:src/one.txt'), 'one');
    });
}

test.run();
