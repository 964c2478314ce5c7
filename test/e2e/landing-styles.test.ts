import { tmpdir } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame, flameJson, lookOnly } from '../support/flame.ts';
import { start } from '../support/kill-rig.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';

type Project = Readonly<Record<string, unknown>>;

function makeProject(project: Project): TestRepo {
  return makeExecProject({ config: { project: { name: 'x', base_branch: 'main', ...project } } });
}

function run(
  repo: TestRepo,
  tasks: readonly ScriptTask[],
  changesets: readonly string[] = ['approve', 'approve', 'approve'],
): Promise<FlameRun> {
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets });
  return flame(repo, ['run', 'Ship it', '--from', writePlan(repo, tasks), '--decisions-file', decisions]);
}

const commit = (text: string): string => `git add -A; git commit -q -m "${text}"`;
/** Two tasks of one group, the second upon the first and in two commits; a third of its own upon both. */
const stacked: readonly ScriptTask[] = [
  { id: 'a', title: 'Say a', script: 'printf "1\\n2\\n" > f', locks: ['f'], group: 'one' },
  {
    id: 'b',
    title: 'Say b',
    script: `printf "1\\n2b\\n" > f; ${commit('[b] change two')}; echo b > g; ${commit('[b] add g')}`,
    locks: ['f', 'g'],
    group: 'one',
    needs: ['a'],
  },
  {
    id: 'c',
    title: 'Say c',
    script: 'printf "1\\n2c\\n" > f',
    locks: ['f'],
    group: 'two',
    needs: ['b'],
  },
];

test('DSK-3 rebase: the commits of the tasks land one after another, with who wrote them and when', async () => {
  const repo = makeProject({ landing_style: 'rebase' });
  const before = repo.git('rev-parse', 'main');
  const done = await run(repo, stacked);
  assert.is(done.code, 0, done.stderr);
  assert.is(repo.git('log', '--merges', '--oneline', 'main'), '');
  const subjects = repo.git('log', '--reverse', '--format=%s', `${before}..main`).split('\n');
  assert.equal(subjects.slice(1, 3), ['[b] change two', '[b] add g']);
  assert.is(subjects.length, 4);
  assert.is(repo.git('show', 'main:f'), '1\n2c');
  assert.match(repo.git('log', '-1', '--format=%(trailers)', 'main~1'), /Task: b\nSession: ses-/);
  const work = repo.git('log', '-1', '--format=%an %at', '--all', '--grep=add g', '--no-notes');
  assert.is(repo.git('log', '-1', '--format=%an %at', 'main~1'), work);
});

test('DSK-2 MRG-9 what was skipped and is built again as the same commit holds up nothing that stands on it', async () => {
  const { repo, chain } = makeChain('merge');
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['skip', 'approve', 'approve'],
    session: ['continue', 'stop'],
  });
  const argv = ['run', 'Ship it', '--from', writePlan(repo, chain.slice(0, 2))];
  const done = await flame(repo, [...argv, '--decisions-file', decisions]);
  assert.is(done.code, 0, done.stderr);
  assert.not.match(done.stderr, /has not landed/);
  assert.match(repo.git('show', 'main:f').replace(/\n+/g, ' '), /^# a a # b b # c # d$/);
});

/** Four works one upon the other, in a file with room between them; from is what they start from. */
function makeChain(style: string): { repo: TestRepo; from: string; chain: readonly ScriptTask[] } {
  const repo = makeProject({ landing_style: style });
  repo.write('f', ['a', 'b', 'c', 'd'].map((id) => `# ${id}\n\n\n`).join(''));
  const chain = ['a', 'b', 'c', 'd'].map((id) => ({
    ...{ id, title: `Say ${id}`, group: id, locks: ['f'] },
    script: `sed -i 's/^# ${id}$/&\\n${id}/' f`,
  }));
  return { repo, from: repo.commit('room'), chain };
}

for (const style of ['squash', 'rebase']) {
  test(`DSK-3 STK-2 ${style}: what was approved together lands together, each asked about and judged once`, async () => {
    const { repo, from, chain } = makeChain(style);
    const done = await run(repo, chain, ['approve', 'approve', 'approve', 'approve']);
    assert.is(done.code, 0, done.stderr);
    assert.not.match(done.stderr, /did not land/);
    assert.is(done.stderr.match(/: pass at /g)?.length, 4, done.stderr);
    assert.is(repo.git('rev-list', '--count', `${from}..main`), '4');
    assert.equal(repo.git('log', '--merges', '--oneline', 'main'), '');
    assert.match(repo.git('show', 'main:f').replace(/\n+/g, ' '), /^# a a # b b # c c # d d$/);
    for (const [at, id] of ['d', 'c', 'b', 'a'].entries())
      assert.match(repo.git('diff', '--unified=0', `main~${at + 1}`, `main~${at}`), new RegExp(`\\+${id}$`));
  });

  test(`DSK-3 LIF-1 ${style}: after a kill between two landings the rest of what was approved lands, and is not asked about again`, async () => {
    const { repo, from, chain } = makeChain(style);
    const decisions = writeDecisions(repo, {
      plan: ['approve'],
      changesets: ['approve', 'approve', 'approve', 'skip'],
    });
    const argv = ['run', 'Ship it', '--from', writePlan(repo, chain), '--decisions-file', decisions];
    const killed = start(repo, argv, { TMPDIR: tmpdir(), FLAME_TEST_KILL_AT: '/refs done: .*\\bmain\\b/' });
    assert.is(killed.signal, 'SIGKILL', killed.stderr);
    assert.is(repo.git('rev-list', '--count', `${from}..main`), '1');
    const behind = /may still have the files from before the landing: git flame resume updates them/;
    assert.match((await flame(repo, ['status'])).stdout, behind);
    assert.match((await flame(repo, lookOnly)).stdout.replace(/\s+/g, ' '), behind);
    const resumed = await flame(repo, ['resume', '--decisions-file', writeDecisions(repo, { changesets: [] })]);
    assert.is(repo.git('rev-list', '--count', `${from}..main`), '3', resumed.stderr);
    assert.match(repo.git('show', 'main:f').replace(/\n+/g, ' '), /^# a a # b b # c c # d$/);
    assert.not.match(resumed.stderr, /did not land|\b[bc]: pass at /);
    assert.not.match((await flame(repo, ['status'])).stdout, behind);
    assert.is(repo.git('status', '--porcelain', '--untracked-files=no'), '');
  });

  test(`STK-3 LIF-4 ${style}: after such a kill, too, what stands on rejected work is put on what landed`, async () => {
    const repo = makeProject({ landing_style: style });
    repo.write('f', '# f\n');
    repo.write('g', Array.from({ length: 40 }, (_, at) => `${at}\n`).join(''));
    const from = repo.commit('room');
    const print = (id: string, script: string, ...locks: string[]): ScriptTask => ({
      ...{ id, title: `Say ${id}`, group: id, locks, script },
    });
    const plan = [
      print('a', 'echo a >> f', 'f'),
      print('b', 'echo b >> f', 'f'),
      print('c', "sed -i 's/^10$/c/' g", 'g'),
      print('d', "echo d >> f; sed -i 's/^30$/d/' g", 'f', 'g'),
    ];
    const answers = { changesets: [{ c: { reject: 'not this' }, all: 'approve' }], plan: ['approve'] };
    const argv = ['run', 'x', '--from', writePlan(repo, plan), '--decisions-file'];
    const killed = start(repo, [...argv, writeDecisions(repo, answers)], {
      TMPDIR: tmpdir(),
      FLAME_TEST_KILL_AT: '/refs done: .*\\bmain\\b/',
    });
    assert.is(killed.signal, 'SIGKILL', killed.stderr);
    assert.is(repo.git('rev-list', '--count', `${from}..main`), '1');
    assert.not.match((await flame(repo, ['status'])).stdout, 'Conflicts ahead');
    const rest = writeDecisions(repo, { changesets: [{ all: 'approve' }], session: ['stop'] });
    const resumed = await flame(repo, ['resume', '--decisions-file', rest]);
    assert.not.match(resumed.stderr, /conflicts and was sent back/);
    assert.is(repo.git('show', 'main:f'), '# f\na\nb\nd', resumed.stderr);
    const [status] = (await flameJson(repo, ['status'])).lines;
    const tasks = status?.tasks as readonly { status: string; history: readonly unknown[] }[];
    assert.equal(
      tasks.map(({ status, history }) => [status, history.length]),
      [
        ['merged', 1],
        ['merged', 1],
        ['requeued', 1],
        ['merged', 1],
      ],
    );
  });
}

for (const style of ['merge', 'squash', 'rebase'])
  test(`STK-3 ${style}: a landing is taken out from under finished work that began upon it, and its task alone is paid again`, async () => {
    const { repo, from, chain } = makeChain(style);
    const first = {
      plan: ['approve'],
      changesets: ['approve', 'skip', 'skip', 'skip'],
      session: ['continue', 'stop'],
    };
    const argv = ['run', 'Ship it', '--from', writePlan(repo, chain), '--decisions-file'];
    await flame(repo, [...argv, writeDecisions(repo, first)]);
    const undone = await flame(repo, ['undo', '--requeue', 'once more']);
    assert.is(undone.code, 0, undone.stderr);
    assert.is(repo.git('rev-parse', 'main'), from);
    const rest = { changesets: ['approve', 'approve', 'approve', 'approve'], session: ['continue', 'stop'] };
    const again = await flame(repo, ['run', '--decisions-file', writeDecisions(repo, rest)]);
    assert.is(again.code, 0, again.stderr);
    assert.not.match(again.stderr, /rewound|conflict/);
    assert.match(repo.git('show', 'main:f').replace(/\n+/g, ' '), /^# a a # b b # c c # d d$/);
    const [status] = (await flameJson(repo, ['status'])).lines;
    const tasks = status?.tasks as readonly { status: string; history: readonly unknown[] }[];
    assert.equal(
      tasks.map(({ status, history }) => [status, history.length]),
      [2, 1, 1, 1].map((attempts) => ['merged', attempts]),
    );
  });

for (const style of ['merge', 'squash'])
  test(`STK-3 ${style}: a landing is taken out from under work by hand that began upon it, once that is submitted`, async () => {
    const { repo, from, chain } = makeChain(style);
    const first = { plan: ['approve'], changesets: ['approve'], session: ['stop'] };
    const plan = [...chain.slice(0, 1), ...chain.slice(3).map((task) => ({ ...task, script: 'exit 1' }))];
    const argv = ['run', 'Ship it', '--from', writePlan(repo, plan), '--decisions-file'];
    await flame(repo, [...argv, writeDecisions(repo, first)]);
    const [claim] = (await flameJson(repo, ['task', 'claim', 'd'])).lines;
    const hand = openRepo(String(claim?.worktree), repo.env);
    hand.write('f', hand.git('show', 'HEAD:f').replace('# d', '# d\nd'));
    hand.commit('feat: d by hand');
    const undone = await flame(repo, ['undo', '--requeue', 'once more']);
    assert.is(undone.code, 0, undone.stderr);
    assert.is(repo.git('rev-parse', 'main'), from);
    const submitted = await flame(repo, ['task', 'submit', 'd']);
    assert.is(submitted.code, 0, submitted.stderr);
    const rest = { changesets: ['approve', 'approve'], session: ['continue', 'stop'] };
    const again = await flame(repo, ['run', '--decisions-file', writeDecisions(repo, rest)]);
    assert.is(again.code, 0, again.stderr);
    assert.not.match(again.stderr, /rewound|conflict/);
    assert.match(repo.git('show', 'main:f').replace(/\n+/g, ' '), /^# a a # b # c # d d$/);
    const [status] = (await flameJson(repo, ['status'])).lines;
    const tasks = status?.tasks as readonly { status: string; history: readonly unknown[] }[];
    assert.equal([tasks[0]?.status, tasks[0]?.history.length], ['merged', 2]);
  });

test('DSK-3 landing_message is the message, whatever a shell would make of it; the trailers follow', async () => {
  const repo = makeProject({
    landing_message: 'Ship {group} $(touch pwned) `id` {unknown}\n\nFor: {objective}\n\n{list}\n\nReviewed: yes',
  });
  const done = await run(repo, stacked.slice(0, 1));
  assert.is(done.code, 0, done.stderr);
  const [subject, , text, , list, , ...trailers] = repo.git('log', '-1', '--format=%B', 'main').split('\n');
  assert.is(subject, 'Ship one $(touch pwned) `id` {unknown}');
  assert.equal([text, list], ['For: Ship it', '* a: Say a']);
  assert.is(trailers[0], 'Reviewed: yes');
  assert.equal(trailers.slice(1, 2), ['Task: a']);
  assert.match(trailers[2] ?? '', /^Session: ses-/);
});

test('DSK-3 rebase: commits that only fit together land as one', async () => {
  const repo = makeExecProject({
    config: {
      project: { name: 'x', base_branch: 'main', landing_style: 'rebase' },
      concurrency: { overlap: 'separate' },
    },
  });
  repo.write('f', '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
  repo.commit('numbers');
  const before = repo.git('rev-parse', 'main');
  const there = `sed -i s/^1$/one/ f; ${commit('[b] there')}`;
  const andBack = `sed -i s/^one$/1/ f; sed -i s/^9$/nine/ f; ${commit('[b] and back')}`;
  const done = await run(repo, [
    { id: 'a', title: 'Say a', script: 'sed -i s/^1$/uno/ f', locks: ['f'], group: 'one' },
    { id: 'b', title: 'Say b', script: `${there}; ${andBack}`, locks: ['f'], group: 'two' },
  ]);
  assert.is(done.code, 0, done.stderr);
  assert.match(
    done.stderr,
    /two lands as one commit, because the commits of its tasks conflict when applied one after another, in f/,
  );
  assert.is(repo.git('show', 'main:f'), 'uno\n2\n3\n4\n5\n6\n7\n8\nnine');
  assert.is(repo.git('log', '-1', '--format=%s', 'main'), 'two: Say b');
  assert.is(repo.git('rev-list', '--count', `${before}..main`), '2');
});

test.run();
