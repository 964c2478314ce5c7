import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { makeShared } from '../support/shared-project.ts';
import { trusted } from '../support/trusted.ts';

// TRU-2: two people share a session, each in a clone of their own, and nobody forges anything.

type Fields = Readonly<Record<string, unknown>>;

async function statusOf(repo: TestRepo, session: string): Promise<unknown> {
  const run = await flameJson(repo, ['status', '--session', session]);
  const { session: shown, tasks, changesets, doubts = [] } = run.lines[0] ?? {};
  const { state, wave, cycle } = shown as Fields;
  const work = (tasks as Fields[]).map(({ id, status, commit }) => [id, status, commit]);
  const sets = (changesets as Fields[]).map(({ id, state: stands, commit }) => [id, stands, commit]);
  return { state, wave, cycle, work, sets, doubts };
}

async function currentOf(repo: TestRepo): Promise<string> {
  const { session } = (await flameJson(repo, ['status'])).lines[0] ?? {};
  return `${(session as Fields).id}`;
}

const isArchived = (repo: TestRepo, session: string): boolean =>
  repo.git('ls-tree', '--name-only', 'refs/blueflame/archive/sessions:anchors/').includes(session);

async function runs(repo: TestRepo, ...argv: string[]): Promise<string> {
  const run = await flame(repo, argv);
  assert.is(run.code, 0, `${argv.join(' ')}: ${run.stderr}`);
  return run.stdout;
}

const stateOf = (repo: TestRepo): string =>
  repo
    .git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/blueflame/')
    .split('\n')
    // Made by each clone of its own.
    .filter((line) => !line.startsWith('refs/blueflame/shown '))
    .join('\n');

test('TRU-2 what one clone lands and pushes has ended in the other once it pulls; archives and a third clone agree', async () => {
  const { repo: here, clone } = await makeShared({ upTo: 'plan', config: { retention: { sessions: 1 } } });
  here.git('branch', '-q', '--set-upstream-to=origin/main', 'main');
  const there = await clone();
  trusted(there);
  await runs(there, 'sync');
  const decisions = writeDecisions(there, { plan: ['approve'], changesets: ['approve'] });
  await runs(there, 'run', '--decisions-file', decisions);
  there.git('push', '-q', 'origin', 'main');
  await runs(there, 'sync');
  const session = await currentOf(there);

  const early = await runs(here, 'sync');
  assert.match(early, /task-001 merged at \w{10}: main here does not contain it/);
  assert.match(early, /bring main up to date here: git pull/);
  here.git('pull', '-q');
  const agreed = await statusOf(there, session);
  assert.is((agreed as Fields).state, 'ended');
  assert.equal((agreed as Fields).doubts, []);
  assert.equal(await statusOf(here, session), agreed);
  assert.not.match(await runs(here, 'sync'), /Reported by another clone/);

  // The next session of the other clone puts the first one into the archive.
  const plan = writePlan(there, [{ id: 'task-001', script: 'echo 2 > src/two.txt', locks: ['src/two.txt'] }]);
  await runs(there, 'run', 'Go on', '--from', plan, '--decisions-file', decisions);
  assert.is.not(await currentOf(there), session);
  there.git('push', '-q', 'origin', 'main');
  await runs(there, 'sync');
  here.git('pull', '-q');
  await runs(here, 'sync');
  assert.ok(isArchived(here, session));
  assert.equal(await statusOf(here, session), agreed);
  const third = await clone();
  await runs(third, 'sync');
  for (const repo of [here, there, third]) await runs(repo, 'sync');
  assert.equal(await statusOf(third, session), agreed);
  assert.is(stateOf(here), stateOf(there));
  assert.is(stateOf(third), stateOf(there));
});

const file = 'src/price.txt';
const fill = (name: string): string => `sed -i 's/^# ${name}$/# ${name}\\n${name}/' ${file}`;
const room = ['one', 'two', 'three'].map((name) => `# ${name}\\n\\n\\n\\n`).join('');
const stacked: readonly ScriptTask[] = ['one', 'two', 'three'].map((name) => ({
  ...{ id: name, group: name, locks: [file] },
  script: name === 'one' ? `printf '${room}' > ${file} && ${fill(name)}` : fill(name),
  priority: ['one', 'two', 'three'].indexOf(name) + 1,
}));

/** What a clone knows of each task: how it stands, and what it was built on. */
async function groundOf(repo: TestRepo): Promise<readonly unknown[]> {
  const { tasks } = (await flameJson(repo, ['status'])).lines[0] ?? {};
  return (tasks as Fields[]).map(({ id, status, built_on: builtOn = [] }) => [
    ...[id, status],
    (builtOn as readonly Fields[]).map(({ task }) => task),
  ]);
}

/** What is shared of the state; refs that keep work alive are a clone's own. */
const notesOf = (repo: TestRepo): readonly string[] =>
  stateOf(repo)
    .split('\n')
    .filter((line) => /^refs\/blueflame\/\w+ /.test(line));

const filledIn = (repo: TestRepo): readonly string[] =>
  repo
    .git('show', `main:${file}`)
    .split('\n')
    .filter((line) => /^\w/.test(line));

test('STK-1 STK-3 TRU-2 a stack worked in one clone and taken apart in the other: both agree, and no more lands than was shown', async () => {
  const { repo: here, clone } = await makeShared({ upTo: 'plan', tasks: stacked });
  here.git('branch', '-q', '--set-upstream-to=origin/main', 'main');
  await runs(here, 'work');
  const there = await clone();
  trusted(there);
  await runs(there, 'sync');
  const built = [
    ['one', 'done', []],
    ['three', 'done', ['two']],
    ['two', 'done', ['one']],
  ];
  assert.equal(await groundOf(there), built);
  // Beside each other, neither knowing of the other: one builds changesets, the other decides about them and lands.
  await runs(here, 'validate');
  await runs(here, 'merge');
  const changesets = [{ two: { reject: 'no' }, all: 'approve' }];
  const decisions = writeDecisions(there, { plan: ['approve'], changesets, session: ['stop'] });
  await runs(there, 'run', '--decisions-file', decisions);
  assert.equal(filledIn(there), ['one', 'three']);
  // Each commit that landed is what was shown, and brings the line of its own task alone.
  for (const subject of there.git('log', '--first-parent', '--format=%H %s', 'origin/main..main').split('\n')) {
    const [commit = ''] = subject.split(' ');
    const added = there.git('show', '-m', '--first-parent', '--format=', commit, '--', file);
    assert.is(added.split('\n').filter((line) => /^\+\w/.test(line)).length, 1, subject);
  }
  there.git('push', '-q', 'origin', 'main');
  await runs(there, 'sync');
  await runs(here, 'sync');
  here.git('pull', '-q');
  for (const repo of [here, there, here]) await runs(repo, 'sync');
  assert.equal(notesOf(here), notesOf(there));
  // Here the second was validated meanwhile: of done and requeued the first wins, and starts nothing before somebody says so.
  for (const repo of [here, there]) {
    assert.equal(await groundOf(repo), [
      ['one', 'merged', []],
      ['three', 'merged', []],
      ['two', 'done', ['one']],
    ]);
    const { changesets: sets, proposals } = (await flameJson(repo, ['status'])).lines[0] ?? {};
    assert.equal(
      (sets as Fields[]).map(({ id, state }) => [id, state]),
      [
        ['1-one', 'landed'],
        ['1-three', 'landed'],
        ['1-two', 'rejected'],
      ],
    );
    assert.equal((proposals as Fields).tasks, ['two']);
    assert.equal(filledIn(repo), ['one', 'three']);
  }
});

test.run();
