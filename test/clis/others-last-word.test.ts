import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DialectName } from '../../lib/domain/config/known-clis.ts';
import { tasksOf } from '../support/claude-project.ts';
import { type HookedName, hands } from '../support/cli-hands.ts';
import { openCliProject } from '../support/cli-project.ts';
import { findCli, needsCli } from '../support/clis.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import type { Turn } from '../support/scripted-model.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

// What workers of other CLIs than claude are told at their end, through `git flame`.

const clis: Readonly<Partial<Record<HookedName, { readonly model: string; readonly dialect: DialectName }>>> = {
  codex: { model: 'gpt-6-sol', dialect: 'responses' },
  gemini: { model: 'gemini-2.5-pro', dialect: 'gemini' },
  kimi: { model: 'kimi-k2.6', dialect: 'chat' },
  copilot: { model: 'gpt-5.5', dialect: 'responses' },
};
const names = (Object.keys(clis) as HookedName[]).filter((name) => (process.env.FLAME_TEST_LAST_WORD ?? name) === name);
const isThere = hasBubblewrap() && names.every((name) => findCli(name) !== null);
const place = isThere ? enterNetworkNamespace() : 'none';

/** Writes what a check refuses and ends; told so, it mends that and ends again. */
function works(name: HookedName, told: string, results: number): Turn {
  const { write, read, replace, run } = hands[name];
  const commit = run("git add src/n.txt && git commit -q -m 'feat: n'");
  const first: readonly Turn[] = [{ calls: [write('src/n.txt', 'bad')] }, { calls: [commit] }];
  const mend: readonly Turn[] = [
    { calls: [read('src/n.txt')] },
    { calls: [replace('src/n.txt', ['bad'], 'good')] },
    { calls: [commit] },
  ];
  if (!told.includes('src/n.txt ended with 1')) return first[results] ?? { text: 'It is done.' };
  return mend[results - first.length] ?? { text: 'It is mended.' };
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needsCli(names.join(', ')));
  for (const name of names) {
    const cli = clis[name];
    if (cli === undefined) continue;
    live(`RND-5 ${name} is told at its end which check fails, goes on, and its second end is its end`, async () => {
      const bodies: string[] = [];
      const { repo, model, flame } = await openCliProject(
        {
          roles: { default: { adapter: name }, validator: { adapter: 'none' } },
          models: {
            ...{ planner: cli.model, worker: cli.model, merger: cli.model },
            prices: { [cli.model]: { input: 5, output: 30 } },
          },
          adapters: { [name]: { command: findCli(name) } },
          validation: { validator_diagnostics: { commands: ['! grep -q bad src/n.txt'] } },
          limits: { max_retries: 0 },
        },
        (_, { body, results }) => {
          bodies.push(JSON.stringify(body));
          return works(name, bodies.at(-1) ?? '', results.length);
        },
        [cli.dialect],
      );
      test.after(model.close);
      const plan = writePlan(repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/n.txt'] }]);
      const decisions = writeDecisions(repo, {
        plan: ['approve'],
        changesets: ['approve'],
        validation: ['drop'],
      });
      const done = await flame('run', 'One', '--from', plan, '--decisions-file', decisions);
      assert.is(done.code, 0, done.stderr + done.stdout);
      assert.equal(
        done.lines.filter(({ event }) => event === 'last-word').map(({ about }) => about),
        [['! grep -q bad src/n.txt ended with 1']],
      );
      assert.is(tasksOf(done)[0]?.status, 'merged');
      assert.is(repo.git('show', 'main:src/n.txt'), 'good');
    });
  }
}

test.run();
