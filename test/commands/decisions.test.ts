import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame, flameJson } from '../support/flame.ts';
import { assertRefused, type Refusal } from '../support/refusal.ts';
import { prepared, type TestRepo } from '../support/repo.ts';

// Every kind of entry a decisions file can hold, as the README lists them.

const oneTask: readonly ScriptTask[] = [
  {
    id: 'task-001',
    script: 'echo "attempt $FLAME_ATTEMPT" > src/one.txt',
    locks: ['src/one.txt'],
    group: 'one',
  },
];

type JsonRun = FlameRun & { readonly lines: readonly Record<string, unknown>[] };
type Decisions = Readonly<Record<string, readonly unknown[]>>;
type Config = Readonly<Record<string, unknown>>;

async function decide(
  decisions: Decisions,
  options: {
    readonly config?: Config;
    readonly tasks?: readonly ScriptTask[];
    readonly repo?: TestRepo;
  } = {},
): Promise<JsonRun & { readonly repo: TestRepo; readonly statuses: readonly string[] }> {
  const repo = options.repo ?? makeExecProject({ config: options.config ?? {} });
  const plan = writePlan(repo, options.tasks ?? oneTask);
  const file = writeDecisions(repo, decisions);
  const run = await flameJson(repo, ['run', 'Decide', '--from', plan, '--decisions-file', file]);
  return { ...run, repo, statuses: await statusesIn(repo) };
}

const noPlanner = { roles: { worker: { adapter: 'exec' }, planner: { adapter: 'exec' } } };

/** A session whose one changeset waits for its first decision. */
const waiting = prepared(async () => {
  const run = await decide({ plan: ['approve'] }, { config: noPlanner });
  assertRefused(run, asksAt('changesets'));
  return run.repo;
});

/** How a run ends whose list is used up. */
function asksAt(gate: string): Refusal {
  return { code: 2, says: `${gate}: [`, next: 'git flame run' };
}

/** The same as `decide`, in a session that waits for it. */
async function decideIn(repo: TestRepo, decisions: Decisions): ReturnType<typeof decide> {
  const run = await flameJson(repo, ['run', '--decisions-file', writeDecisions(repo, decisions)]);
  return { ...run, repo, statuses: await statusesIn(repo) };
}

async function statusesIn(repo: TestRepo): Promise<readonly string[]> {
  const status = (await flameJson(repo, ['status'])).lines[0];
  const tasks = (status?.tasks ?? []) as readonly { readonly status: string }[];
  return tasks.map((task) => task.status);
}

const sessionOf = (run: JsonRun): Record<string, unknown> =>
  (run.lines.at(-1)?.session ?? {}) as Record<string, unknown>;

test('plan: quit ends the session without a task', async () => {
  const run = await decide({ plan: ['quit'] });
  assert.equal([run.code, run.statuses, sessionOf(run).state], [0, [], 'ended']);
});

test('plan: edit takes another plan, named from where the decisions file is', async () => {
  const repo = makeExecProject();
  writePlan(repo, [{ id: 'other', script: 'echo 1 > src/other', locks: ['src/other'] }], 'better.yml');
  const run = await decide({ plan: [{ edit: 'better.yml' }, 'approve'], changesets: ['approve'] }, { repo });
  assert.equal([run.code, run.statuses], [0, ['merged']], run.stderr);
  assert.is(repo.git('show', 'main:src/other'), '1');
});

test('plan: an edit that is no plan is refused, and the plan waits on', async () => {
  const repo = makeExecProject();
  repo.write('.git/worse.yml', 'not a plan\n');
  const run = await decide({ plan: [{ edit: 'worse.yml' }] }, { repo });
  assertRefused(run, { code: 128, says: /must be a map of keys/ });
  const missing = await decide({ plan: [{ edit: 'gone.yml' }] }, { repo });
  assertRefused(missing, { code: 129, says: /gone\.yml can't be read/ });
  const fine = await decide({ plan: ['approve'], changesets: ['approve'] }, { repo });
  assert.is(fine.code, 0, fine.stderr);
});

test('plan: replan keeps the notes; without a planner a plan by hand goes on', async () => {
  const run = await decide({ plan: [{ replan: 'smaller steps' }] }, { config: noPlanner });
  assertRefused(run, { code: 1, says: 'a script plans nothing', next: 'git flame plan --from FILE' });
  const log = await flameJson(run.repo, ['log']);
  assert.match(JSON.stringify(log.lines), 'smaller steps');
  const approve = writeDecisions(run.repo, { plan: ['approve'] });
  const plan = await flameJson(run.repo, ['plan', '--from', '.git/plan.yml', '--decisions-file', approve]);
  assert.is(plan.code, 0, plan.stderr);
});

const red = {
  validation: { validator_diagnostics: { commands: ['grep -q "attempt 2" src/one.txt'] } },
};

const undecided = prepared(async () => {
  const { code, repo, stderr } = await decide({ plan: ['approve'] }, { config: red });
  assert.is(code, 2, stderr);
  return repo;
});

test('validation: requeue tries again with the notes, drop gives it up', async () => {
  const again = await decideIn(await undecided(), {
    validation: [{ requeue: 'a second time' }],
    session: ['continue'],
    changesets: ['approve'],
  });
  assert.equal([again.code, again.statuses], [0, ['merged']], again.stderr);
  assert.match(JSON.stringify((await flameJson(again.repo, ['status'])).lines[0]?.tasks), 'a second time');
  assert.is(again.repo.git('show', 'main:src/one.txt'), 'attempt 2');
  const dropped = await decideIn(await undecided(), { validation: ['drop'] });
  assert.equal(dropped.statuses, ['dropped']);
});

const threeGroups: readonly ScriptTask[] = ['api', 'auth', 'docs'].map((group, index) => ({
  id: `task-00${index + 1}`,
  script: `echo ${group} > src/${group}.txt`,
  locks: [`src/${group}.txt`],
  group,
}));

test('changesets: a map decides by cohesion group, in whatever order they are shown', async () => {
  const run = await decide(
    {
      plan: ['approve'],
      changesets: [{ docs: 'skip', api: { reject: 'no tests' }, auth: 'approve' }],
      session: ['stop'],
    },
    { tasks: threeGroups },
  );
  assert.is(run.code, 0, run.stderr);
  const decided = run.lines
    .filter(({ event }) => event === 'changeset-decided')
    .map(({ changeset, decision }) => `${changeset} ${decision}`)
    .sort();
  assert.equal(decided, ['1-api rejected', '1-auth approved', '1-docs skipped']);
  assert.equal(run.statuses, ['requeued', 'merged', 'done']);
});

test('MRG-4: a skipped changeset is shown again in the next cycle', async () => {
  const run = await decideIn(await waiting(), { changesets: ['skip', 'approve'], session: ['continue'] });
  assert.equal([run.code, run.statuses], [0, ['merged']], run.stderr);
});

test('session: stop saves everything, and git flame run goes on from there', async () => {
  const run = await decideIn(await waiting(), { changesets: ['skip'], session: ['stop'] });
  assert.equal([run.code, sessionOf(run).state], [0, 'stopped'], run.stderr);
  const file = writeDecisions(run.repo, { session: ['continue'], changesets: ['approve'] });
  const again = await flameJson(run.repo, ['run', '--decisions-file', file]);
  assert.is(again.code, 0, again.stderr);
  assert.is(sessionOf(again).state, 'ended');
});

test('session: replan takes a new plan in the same session', async () => {
  const run = await decideIn(await waiting(), {
    changesets: [{ reject: 'wrong way' }],
    session: [{ replan: 'the other way' }],
  });
  assertRefused(run, { code: 1, says: 'a script plans nothing', next: 'git flame plan --from FILE' });
  const better = writePlan(run.repo, [{ id: 'task-002', script: 'echo 2 > src/two', locks: ['src/two'] }]);
  const file = writeDecisions(run.repo, { plan: ['approve'], changesets: ['approve'] });
  const again = await flameJson(run.repo, ['run', '--from', better, '--decisions-file', file]);
  assert.is(again.code, 0, again.stderr);
  const tasks = again.lines.at(-1)?.tasks as { id: string; status: string }[];
  assert.equal(
    tasks.map(({ id, status }) => `${id} ${status}`),
    ['task-001 dropped', 'task-002 merged'],
  );
});

test('MRG-7: max_wave_cycles ends the session with what is left said, and ends with 1', async () => {
  const run = await decide(
    {
      plan: ['approve'],
      changesets: [{ reject: 'no' }, { reject: 'still no' }],
      session: ['continue', 'continue'],
    },
    { config: { limits: { max_wave_cycles: 2 } } },
  );
  assert.match(JSON.stringify(run.lines), 'the limit of 2 wave cycles is reached');
  assert.equal([run.code, sessionOf(run).state, run.statuses], [1, 'ended', ['requeued']], run.stderr);

  const { repo } = run;
  assertRefused(await flame(repo, ['resume']), {
    code: 1,
    says: 'limits.max_wave_cycles: 2',
    next: `git flame resume ${sessionOf(run).id}`,
  });
  const config = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  repo.write('.blueflame.yml', config.replace('max_wave_cycles: 2', 'max_wave_cycles: 3'));
  repo.commit('one more cycle');
  const decisions = writeDecisions(repo, { session: ['continue'], changesets: ['approve'] });
  const resumed = await flame(repo, ['resume', '--decisions-file', decisions]);
  assert.is(resumed.code, 0, resumed.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'attempt 3');
});

test('a list that is used up asks the person: exit 2, the gate named, and a command that goes on', async () => {
  assertRefused(await decide({}), asksAt('plan'));
  // At the gate of changesets too.
  const repo = await waiting();
  assertRefused(await decideIn(repo, { changesets: ['skip'] }), asksAt('session'));
});

test('CLI-3 a decision about a changeset that does not wait is an error, and its id is a name for it', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--from', plan, '--decisions-file', decisions])).code, 0);
  const refused = async (): Promise<void> => {
    for (const decision of [['--approve'], ['--reject', 'no'], ['--skip'], []]) {
      const { code, stderr } = await flame(repo, ['review', '--changeset', '1-main', ...decision]);
      assert.is(code, 1, stderr);
      assert.match(stderr, /error: No changeset 1-main waits for a decision\.\nnext: git flame status/);
    }
    const unnamed = await flame(repo, ['review', '--approve']);
    assert.is(unnamed.code, 1);
    assert.match(unnamed.stderr, /No changeset waits for a decision/);
  };
  await refused();
  assert.is((await flame(repo, ['review'])).code, 0, 'nothing was asked of it');
  for (const wave of ['work', 'validate', 'merge']) assert.is((await flame(repo, [wave])).code, 0, wave);
  assert.is((await flame(repo, ['review', '--changeset', 'main', '--skip'])).code, 0);
  const skipped = await flame(repo, ['review', '--changeset', '1-main']);
  assert.is(skipped.code, 1);
  assert.match(
    skipped.stderr,
    /Changeset main was skipped; the next cycle shows it again\.\nnext: git flame run\n/,
  );
  for (const wave of ['work', 'merge']) assert.is((await flame(repo, [wave])).code, 0, wave);
  assert.is((await flame(repo, ['review', '--changeset', '2-main', '--approve'])).code, 0);
  assert.is(repo.git('show', 'main:a.txt'), '1');
  await refused();
});

test('STK-3 review --reject says what that means for the work on top before it is recorded', async () => {
  const tasks = ['one', 'two'].map((id) => ({
    ...{ id, group: id, script: `echo ${id} >> src/shared.txt`, locks: ['src/shared.txt'] },
  }));
  const { repo } = await decide({ plan: ['approve'] }, { tasks });
  const run = await flame(repo, ['review', '--changeset', 'one', '--reject', 'no']);
  assert.match(
    run.stderr,
    /Rejecting this takes it out from under two\.\ntwo: conflicts in src\/shared\.txt/,
  );
});

test.run();
