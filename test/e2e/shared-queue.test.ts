import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { findDamage, processesIn } from '../support/kill-rig.ts';
import { programEnd, programFolder, startProgram, untilSaid } from '../support/program.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';
import { trusted } from '../support/trusted.ts';
import { until } from '../support/until.ts';

// People, agents and processes that take from one queue at the same time: the real program each time.

type Fields = Readonly<Record<string, unknown>>;

async function tasksOf(repo: TestRepo, ...argv: string[]): Promise<readonly Fields[]> {
  const [status] = (await flameJson(repo, ['status', ...argv])).lines;
  return (status?.tasks ?? []) as readonly Fields[];
}

async function done(repo: TestRepo, ...argv: string[]): Promise<Fields> {
  const run = await flameJson(repo, argv);
  assert.is(run.code, 0, `${argv.join(' ')}: ${run.stderr}`);
  return run.lines[0] ?? {};
}

/** A process that claims what it is told, as somebody. */
function startClaimer(
  repo: TestRepo,
  name: string,
): { readonly child: ChildProcess; claim(ids: readonly string[]): Promise<Fields[]> } {
  const child = spawn(join(programFolder, 'git-flame'), ['task', 'claim', '--stdin', '--json'], {
    cwd: repo.path,
    env: { ...repo.env, GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const claim = async (ids: readonly string[]): Promise<Fields[]> => {
    const answers: Fields[] = [];
    const all = new Promise<void>((resolve) => {
      const take = (line: string): void => {
        answers.push(JSON.parse(line));
        if (answers.length < ids.length) return;
        lines.off('line', take);
        resolve();
      };
      lines.on('line', take);
    });
    child.stdin.write(`${ids.join('\n')}\n`);
    await all;
    return answers;
  };
  return { child, claim };
}

test('UNI-2 8 processes race for every task: each is won once, told to one, and nobody waits for ever', async () => {
  const repo = makeExecProject();
  const ids = Array.from({ length: 80 }, (_, at) => `task-${String(at + 1).padStart(3, '0')}`);
  const tasks = ids.map((id) => ({ id, title: id, description: 'true', file_locks: [`src/${id}.txt`] }));
  await flame(repo, ['task', 'add'], { stdin: JSON.stringify(tasks) });
  const racers = Array.from({ length: 8 }, (_, at) => ({
    name: `Racer ${at}`,
    ...startClaimer(repo, `Racer ${at}`),
  }));
  // All are up and have answered once before the race begins.
  for (const { claim } of racers) assert.is((await claim(['none']))[0]?.claimed, false);
  const won = await Promise.all(
    racers.map(async ({ name, claim }, at) => {
      const order = [...ids.slice(at * 10), ...ids.slice(0, at * 10)];
      const answers = await claim(order);
      assert.equal(
        answers.map(({ id }) => id),
        order,
      );
      return answers.filter(({ claimed }) => claimed === true).map(({ id }) => `${id} ${name}`);
    }),
  );
  for (const { child } of racers) child.stdin?.end();
  await Promise.all(racers.map(({ child }) => programEnd(child)));
  assert.is(won.flat().length, ids.length);
  const stored = (await tasksOf(repo)).map(({ id, claimed_by }) => `${id} ${`${claimed_by}`.split(' <')[0]}`);
  assert.equal(won.flat().sort(), stored.sort());
  assert.is(
    repo.git('log', '--format=%s', '--grep=-> claimed by', 'refs/blueflame/tasks').split('\n').length,
    ids.length,
  );
  assert.is(repo.git('fsck', '--no-dangling', '--no-progress'), '');
});

test('UNI-2 people who claim one task at the same time: one has it with a worktree, the others are told who', async () => {
  const repo = makeExecProject();
  await done(repo, 'task', 'add', 'One', '--locks', 'src/one.txt');
  const env = (name: string): Record<string, string> => ({ GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name });
  const claims = await Promise.all(
    ['Ann', 'Ben', 'Cleo', 'Dan'].map((name) =>
      programEnd(startProgram(repo, ['task', 'claim', 'task-001', '--json'], { env: env(name) })),
    ),
  );
  assert.equal(claims.map(({ code }) => code).sort(), [0, 1, 1, 1], claims.map(({ stderr }) => stderr).join(''));
  assert.is(readdirSync(`${repo.path}.trees`).length, 1);
  assert.is(findDamage(repo), '');
});

test('WFL-1 a run that is going takes up what is added, and leaves alone what a person has', async () => {
  const repo = makeExecProject();
  const gate = join(repo.path, '.git/gate');
  // Stays at work until the person is done.
  const slow = `while [ ! -e ${gate} ]; do sleep 0.2; done; echo slow > src/slow.txt`;
  writePlan(repo, [
    { id: 'task-001', script: slow, locks: ['src/slow.txt'], group: 'one' },
    {
      id: 'task-002',
      script: 'echo agent > src/hand.txt',
      locks: ['src/hand.txt'],
      group: 'two',
      needs: ['task-001'],
    },
  ]);
  writeDecisions(repo, { plan: ['approve'], changesets: ['approve', 'approve', 'approve', 'approve'] });
  const planned = await flame(repo, [
    'plan',
    'Share',
    '--from',
    '.git/plan.yml',
    '--decisions-file',
    '.git/decisions.yml',
  ]);
  assert.is(planned.code, 0, planned.stderr);
  await done(repo, 'task', 'add', 'By hand', '--locks', 'src/own.txt', '--id', 'mine', '--group', 'three');
  const { worktree } = await done(repo, 'task', 'claim', 'mine');
  writeDecisions(repo, { changesets: ['approve', 'approve', 'approve', 'approve'] });
  const child = startProgram(repo, ['run', '--decisions-file', '.git/decisions.yml', '--json']);
  const ended = programEnd(child);
  const statusOf = async (id: string): Promise<unknown> => (await tasksOf(repo)).find((task) => task.id === id)?.status;
  await untilSaid(child, /"event":"agent-started"[^\n]*"task-001"/, 'stdout');
  assert.is(await statusOf('task-001'), 'claimed');
  assert.match((await flame(repo, ['status'])).stdout, /A run is in progress/);
  const ends = untilSaid(child, /"event":"agent-ended"[^\n]*"late"/, 'stdout');
  const added = await flame(repo, [
    'task',
    'add',
    'echo added > src/added.txt',
    '--locks',
    'src/added.txt',
    '--id',
    'late',
    '--group',
    'four',
  ]);
  assert.match(added.stderr, /A run is in progress/);
  await ends;
  await until('what was added is done while the other still works', async () => (await statusOf('late')) === 'done');
  assert.equal([await statusOf('task-001'), await statusOf('mine')], ['claimed', 'claimed']);
  const hand = openRepo(`${worktree}`);
  hand.write('src/own.txt', 'mine\n');
  hand.commit('feat: by hand');
  const submitted = await flame(repo, ['task', 'submit', 'mine']);
  assert.is(submitted.code, 0, submitted.stderr);
  writeFileSync(gate, '');
  const { code, stderr, stdout } = await ended;
  assert.is(code, 0, stderr + stdout);
  assert.equal(
    (await tasksOf(repo)).map(({ id, status }) => `${id} ${status}`),
    ['late merged', 'mine merged', 'task-001 merged', 'task-002 merged'],
  );
  for (const file of ['slow', 'hand', 'own', 'added']) assert.ok(repo.git('show', `main:src/${file}.txt`));
  assert.is(findDamage(repo), '');
});

test('WRK-8 two sessions run at once on one clone and do not disturb each other', async () => {
  const repo = makeExecProject();
  const gate = join(repo.path, '.git/gate');
  const sessions: string[] = [];
  for (const name of ['one', 'two']) {
    // Both have a task-001.
    const script = `while [ ! -e ${gate} ]; do sleep 0.2; done; echo ${name} > src/${name}.txt`;
    writePlan(repo, [
      { id: 'task-001', script, locks: [`src/${name}.txt`] },
      {
        id: 'task-002',
        script: `echo more > src/${name}-2.txt`,
        locks: [`src/${name}-2.txt`],
        needs: ['task-001'],
      },
    ]);
    writeDecisions(repo, { plan: ['approve'] });
    const argv = ['plan', name, '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml', '--new'];
    assert.is((await flame(repo, argv)).code, 0);
    const { session } = await done(repo, 'status');
    sessions.push(`${(session as Fields).id}`);
  }
  // What lands first moves the base: the other changeset is built and shown again.
  writeDecisions(repo, { changesets: ['approve', 'approve', 'approve'] });
  const children = sessions.map((session) =>
    startProgram(repo, ['run', '--session', session, '--decisions-file', '.git/decisions.yml', '--json']),
  );
  const runs = children.map(programEnd);
  const agentsOf = async (session: string): Promise<readonly Fields[]> => {
    const [status] = (await flameJson(repo, ['status', '--session', session])).lines;
    return (status?.agents ?? []) as readonly Fields[];
  };
  await Promise.all(children.map((child) => untilSaid(child, /"event":"agent-started"[^\n]*"task-001"/, 'stdout')));
  for (const session of sessions)
    await until(`${session} works`, async () =>
      (await agentsOf(session)).some(({ task_id }) => task_id === 'task-001'),
    );
  const [ours, theirs] = await Promise.all(sessions.map(agentsOf));
  assert.equal([ours?.length, theirs?.length], [1, 1], 'each session shows its own agent');
  assert.is.not(ours?.[0]?.id, theirs?.[0]?.id);
  writeFileSync(gate, '');
  for (const { code, stderr, stdout } of await Promise.all(runs)) assert.is(code, 0, stderr + stdout);
  for (const session of sessions) {
    const tasks = await tasksOf(repo, '--session', session);
    assert.equal(
      tasks.map(({ id, status }) => [id, status]),
      [
        ['task-001', 'merged'],
        ['task-002', 'merged'],
      ],
    );
  }
  for (const file of ['one', 'one-2', 'two', 'two-2']) assert.ok(repo.git('show', `main:src/${file}.txt`));
  assert.equal(processesIn(dirname(repo.path)), []);
  for (const folder of ['run', 'locks', 'cells']) {
    const path = join(repo.path, '.git/blueflame', folder);
    assert.equal(existsSync(path) ? readdirSync(path) : [], [], folder);
  }
  assert.is(findDamage(repo), '');
});

test('STA-4 a claim made in another clone is not freed by this one, unless it is told to', async () => {
  const repo = makeExecProject();
  await done(repo, 'task', 'add', 'echo x > src/one.txt', '--locks', 'src/one.txt');
  const gate = join(repo.path, '.git/gate');
  await done(
    repo,
    'task',
    'edit',
    'task-001',
    '--description',
    `while [ ! -e ${gate} ]; do sleep 0.2; done; echo x > src/one.txt`,
  );
  const remote = join(dirname(repo.path), 'remote.git');
  repo.git('init', '-q', '--bare', remote);
  repo.git('remote', 'add', 'origin', remote);
  repo.git('push', '-q', 'origin', 'main');
  const child = startProgram(repo, ['work']);
  const ended = programEnd(child);
  await untilSaid(child, /started on task-001/);
  await done(repo, 'sync');
  const other = join(dirname(repo.path), 'other');
  repo.git('clone', '-q', '-b', 'main', remote, other);
  const clone = trusted(openRepo(other, repo.env));
  await done(clone, 'sync');
  // What was received is a proposal, until its person has said a word.
  const unasked = await flame(clone, ['run']);
  assert.is(unasked.code, 2, unasked.stderr);
  assert.match(unasked.stderr, /received from another clone waits for a person/);
  // Nothing is known there of the agent: it may well live, as it does here.
  writeDecisions(clone, { plan: ['approve'] });
  const run = await flame(clone, ['run', '--decisions-file', '.git/decisions.yml']);
  assert.is(run.code, 2, run.stderr);
  assert.match(run.stderr, /waits for other work to finish: task-001 by worker-/);
  const refusal = await flame(clone, ['task', 'release', 'task-001']);
  assert.is(refusal.code, 1);
  assert.match(refusal.stderr, /was claimed by worker-[0-9a-f]{8} on .*git flame task release task-001 --force/s);
  assert.is((await tasksOf(clone))[0]?.status, 'claimed');
  const forced = await done(clone, 'task', 'release', 'task-001', '--force');
  assert.is((forced.task as Fields).status, 'pending');
  writeFileSync(gate, '');
  assert.is((await ended).code, 0);
});

test.run();
