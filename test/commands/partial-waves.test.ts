import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';

test('WRK-6: what is done is validated, merged and landed while another task is not worked on yet', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'first', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--from', plan, '--decisions-file', decisions])).code, 0);
  assert.is((await flame(repo, ['work'])).code, 0);
  const added = [
    'task',
    'add',
    'Second',
    '--id',
    'second',
    '--locks',
    'b.txt',
    '--description',
    'echo 1 > b.txt',
  ];
  assert.is((await flame(repo, added)).code, 0);
  for (const argv of [['validate'], ['merge'], ['review', '--changeset', 'main', '--approve']]) {
    const { code, stderr } = await flame(repo, argv);
    assert.is(code, 0, stderr);
    assert.is(/nothing to do/.test(stderr), false, stderr);
  }
  const { stdout } = await flame(repo, ['status']);
  assert.match(stdout, /first +merged[\s\S]*second +pending/);
  // And the rest goes on as ever.
  assert.is((await flame(repo, ['work'])).code, 0);
  assert.match((await flame(repo, ['status'])).stdout, /second +done/);
});

test('DSK-5: a task that passes while changesets wait gets one of its own, and both land', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'first', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve', 'approve'] });
  assert.is((await flame(repo, ['plan', '--from', plan, '--decisions-file', decisions])).code, 0);
  for (const argv of [['work'], ['validate'], ['merge']]) assert.is((await flame(repo, argv)).code, 0);
  const late = ['--id', 'late', '--locks', 'b.txt', '--description', 'echo 1 > b.txt'];
  assert.is((await flame(repo, ['task', 'add', 'Late', ...late])).code, 0);
  for (const argv of [['work'], ['validate']]) assert.is((await flame(repo, argv)).code, 0);
  const changesets = async () => {
    const [status] = (await flameJson(repo, ['status'])).lines;
    const sets = (status?.changesets ?? []) as readonly { readonly tasks: unknown; readonly state: string }[];
    return sets.map(({ tasks, state }) => [tasks, state]);
  };
  const merged = await flame(repo, ['merge']);
  assert.is(merged.code, 0, merged.stderr);
  assert.not.match(merged.stderr, 'nothing to do');
  assert.equal(await changesets(), [
    [['first'], 'waiting'],
    [['late'], 'waiting'],
  ]);
  assert.match((await flame(repo, ['merge'])).stderr, 'There was nothing to do here.');
  const reviewed = await flame(repo, ['review', '--decisions-file', decisions]);
  assert.is(reviewed.code, 0, reviewed.stderr);
  assert.equal(await changesets(), [
    [['first'], 'landed'],
    [['late'], 'landed'],
  ]);
  assert.is(repo.git('show', 'main:a.txt') + repo.git('show', 'main:b.txt'), '11');
});

test('DSK-5: where the base moved, what waits is void, and built again with a late task', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'first', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--from', plan, '--decisions-file', decisions])).code, 0);
  for (const argv of [['work'], ['validate'], ['merge']]) assert.is((await flame(repo, argv)).code, 0);
  const late = ['--id', 'late', '--locks', 'b.txt', '--description', 'echo 1 > b.txt'];
  assert.is((await flame(repo, ['task', 'add', 'Late', ...late])).code, 0);
  for (const argv of [['work'], ['validate']]) assert.is((await flame(repo, argv)).code, 0);
  repo.write('c.txt', 'mine\n');
  repo.commit('mine');
  assert.is((await flame(repo, ['merge'])).code, 0);
  const approved = writeDecisions(repo, { changesets: [{ all: 'approve' }] });
  const reviewed = await flame(repo, ['review', '--decisions-file', approved]);
  assert.is(reviewed.code, 0, reviewed.stderr);
  for (const [file, text] of [
    ['a', '1'],
    ['b', '1'],
    ['c', 'mine'],
  ])
    assert.is(repo.git('show', `main:${file}.txt`), text);
});

test('MRG-6: merge builds again what was built on a base that moved, and it lands by one word', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'first', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--from', plan, '--decisions-file', decisions])).code, 0);
  for (const argv of [['work'], ['validate'], ['merge']]) assert.is((await flame(repo, argv)).code, 0);
  repo.write('b.txt', 'by hand\n');
  repo.commit('something of the person');
  const merged = await flame(repo, ['merge']);
  assert.is(merged.code, 0, merged.stderr);
  assert.match(merged.stderr, /main moved from \w+ to \w+ since it was built/);
  assert.not.match(merged.stderr, 'nothing to do');
  const landed = await flame(repo, ['review', '--changeset', 'main', '--approve']);
  assert.is(landed.code, 0, landed.stderr);
  assert.is(repo.git('show', 'main:a.txt'), '1');
  assert.is(repo.git('show', 'main:b.txt'), 'by hand');
});

test('MRG-6 REV-1: what a person wrote when they approved it stays where the base moves before it lands', async () => {
  const repo = makeExecProject();
  const tasks = ['one', 'two'].map((id) => ({
    id,
    group: id,
    script: `echo 1 > ${id}.txt`,
    locks: [`${id}.txt`],
  }));
  const message = 'The first of two\n\nWith $(reasons).';
  const remark = { path: 'one.txt', line: 1, text: 'Why not 2?' };
  const first = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ one: { approve: [remark], message } }],
  });
  const argv = ['run', 'Two', '--from', writePlan(repo, tasks), '--decisions-file', first];
  assert.is((await flame(repo, argv)).code, 2);
  const moved = async (file: string): Promise<string> => {
    repo.write(file, 'by hand\n');
    repo.commit('something of the person');
    const { code, stderr } = await flame(repo, ['merge']);
    assert.is(code, 0, stderr);
    assert.match(stderr, 'Changeset one keeps the message you wrote: The first of two');
    return stderr;
  };
  assert.match(await moved('b.txt'), /built again without what you remarked .* \(one\.txt:1 Why not 2\?\)/);
  // Once more, before it is approved again.
  await moved('c.txt');
  const approved = writeDecisions(repo, { changesets: [{ all: 'approve' }] });
  const landed = await flame(repo, ['review', '--decisions-file', approved]);
  assert.is(landed.code, 0, landed.stderr);
  const subjects = repo.git('log', '--first-parent', '--format=%s', 'main').split('\n');
  assert.equal(subjects.filter((subject) => subject === 'The first of two').length, 1);
  assert.match(repo.git('log', '--format=%B', 'main'), message);
});

test.run();
