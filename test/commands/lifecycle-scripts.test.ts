import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { assertRefused } from '../support/refusal.ts';
import type { TestRepo } from '../support/repo.ts';

const fileOf = (hook: string): string => `.git/${hook}.facts`;
/** A script that keeps its standard input, its variables and where it ran. */
const noting = (hook: string): string =>
  `{ cat; echo; echo "$FLAME_HOOK in $PWD"; env | grep ^FLAME_ | sort; } >> ${fileOf(hook)}`;

function makeProject(hooks: Readonly<Record<string, string>>, config: object = {}): TestRepo {
  return makeExecProject({ config: { hooks, limits: { max_retries: 0 }, ...config } });
}

function start(repo: TestRepo, script: string, decisions: Parameters<typeof writeDecisions>[1]): Promise<FlameRun> {
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/one.txt'], group: 'one' }]);
  return flame(repo, ['run', 'One', '--from', plan, '--decisions-file', writeDecisions(repo, decisions)]);
}

/** The facts a script got on stdin, and what its environment said. */
function factsOf(repo: TestRepo, hook: string): { facts: Record<string, unknown>; rest: string } {
  const [json = '', ...rest] = readFileSync(join(repo.path, fileOf(hook)), 'utf8').split('\n');
  return { facts: JSON.parse(json) as Record<string, unknown>, rest: rest.join('\n') };
}

const works = 'echo one > src/one.txt';

test('LHK-1: post_plan, pre_validation and post_merge run once each, with the facts twice', async () => {
  const names = ['post_plan', 'pre_validation', 'post_merge', 'on_failure', 'on_waiting'];
  const repo = makeProject(Object.fromEntries(names.map((hook) => [hook, noting(hook)])));
  const run = await start(repo, works, { plan: ['approve'], changesets: ['approve'] });
  assert.is(run.code, 0, run.stderr);
  for (const hook of ['post_plan', 'pre_validation', 'post_merge']) {
    const { facts, rest } = factsOf(repo, hook);
    assert.is(facts.hook, hook);
    assert.match(String(facts.session), /^ses-/);
    assert.match(rest, `${hook} in ${repo.path}\n`);
    assert.match(rest, `FLAME_SESSION=${facts.session}`);
    assert.is(rest.match(/^FLAME_HOOK=/gm)?.length, 1, 'it ran more than once');
  }
  assert.equal(factsOf(repo, 'post_plan').facts.tasks, ['task-001']);
  assert.match(factsOf(repo, 'post_plan').rest, 'FLAME_TASKS=["task-001"]');
  assert.equal(factsOf(repo, 'post_merge').facts.landed, ['1-one']);
  assert.equal(factsOf(repo, 'post_merge').facts.commits, [repo.git('rev-parse', 'main')]);
  // Nothing failed, and every gate was answered beforehand.
  for (const hook of ['on_failure', 'on_waiting']) assert.is(existsSync(join(repo.path, fileOf(hook))), false, hook);
});

test('LHK-1: on_failure is told the task and why', async () => {
  const repo = makeProject({ on_failure: noting('on_failure') });
  const run = await start(repo, 'exit 3', { plan: ['approve'] });
  assert.is(run.code, 1);
  const { facts } = factsOf(repo, 'on_failure');
  assert.equal([facts.task, facts.failure], ['task-001', 'agent-error']);
  assert.match(String(facts.message), 'exit code 3');
});

test('LHK-1: on_waiting runs when a gate waits for a person, and says which', async () => {
  const repo = makeProject({ on_waiting: noting('on_waiting') });
  const first = await start(repo, works, {});
  assert.is(first.code, 2);
  const { facts } = factsOf(repo, 'on_waiting');
  assert.equal([facts.gate, facts.task, facts.changeset], ['plan', null, null]);
  assert.match(String(facts.session), /^ses-/);
  const second = await flame(repo, ['run', '--decisions-file', writeDecisions(repo, { plan: ['approve'] })]);
  assert.is(second.code, 2);
  const said = readFileSync(join(repo.path, fileOf('on_waiting')), 'utf8');
  assert.match(said, '"gate":"changesets","task":null,"changeset":"one"');
});

test('LHK-1: a failing pre_validation stops the wave, is shown, and validate goes on once it is mended', async () => {
  const repo = makeProject({ pre_validation: 'echo the database is down; test -e .git/database' });
  const run = await start(repo, works, { plan: ['approve'], changesets: ['approve'] });
  assertRefused(run, { code: 1, says: 'hooks.pre_validation failed', next: 'git flame validate' });
  assert.match(run.stderr, 'the database is down');
  repo.write('.git/database', '');
  const again = await flame(repo, ['validate']);
  assert.is(again.code, 0, again.stderr);
  assert.match((await flame(repo, ['show', 'task-001'])).stdout, /pass/);
});

test('LHK-1: a script that fails elsewhere is shown and stops nothing', async () => {
  const repo = makeProject({
    post_plan: 'echo no such luck >&2; exit 7',
    post_merge: 'no-such-program-here',
  });
  const run = await start(repo, works, { plan: ['approve'], changesets: ['approve'] });
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, /Script post_plan ended with 7: no such luck/);
  assert.match(run.stderr, /Script post_merge ended with 127: /);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
});

test('LHK-1: a script that takes too long is ended with all it started', async () => {
  const repo = makeProject({ post_plan: 'sleep 600 & echo $! > .git/sleeper; wait', timeout: '1s' });
  const run = await start(repo, works, { plan: ['approve'], changesets: ['approve'] });
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, /Script post_plan was killed: It took longer than 1 s/);
  const pid = Number(readFileSync(join(repo.path, '.git/sleeper'), 'utf8'));
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] : 'gone';
  assert.ok(state === 'gone' || state === 'Z', state);
});

test('--dry-run runs no script', async () => {
  const repo = makeProject({ post_plan: noting('post_plan'), on_waiting: noting('on_waiting') });
  const plan = writePlan(repo, [{ id: 'task-001', script: works, locks: ['src/one.txt'] }]);
  assert.is((await flame(repo, ['run', 'One', '--dry-run', '--from', plan])).code, 0);
  for (const hook of ['post_plan', 'on_waiting']) assert.is(existsSync(join(repo.path, fileOf(hook))), false, hook);
});

test.run();
