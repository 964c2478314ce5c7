import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { assertRefused, nextCommands } from '../support/refusal.ts';
import { makeTempDir } from '../support/repo.ts';

const oneTask: readonly ScriptTask[] = [
  { id: 'task-001', script: 'echo one > src/one.txt', locks: ['src/one.txt'], group: 'one' },
];

test('what comes next is said once, whichever command ended', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, oneTask);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  for (const [argv, next] of [
    [['plan', 'One', '--from', plan, '--decisions-file', decisions], 'git flame work'],
    [['validate'], 'git flame work'],
    [['work'], 'git flame validate'],
    [['validate'], 'git flame merge'],
    [['merge'], 'git flame review'],
  ] as const) {
    const { code, stdout, stderr } = await flame(repo, argv);
    assert.is(code, 0, stderr);
    assert.equal(nextCommands(`${stdout}\n${stderr}`), [next], argv[0]);
  }
  const { stdout, stderr } = await flame(repo, ['review', '--changeset', 'one', '--approve']);
  assert.equal(nextCommands(`${stdout}\n${stderr}`), []);
});

for (const [what, ignore] of [
  ['an ignored', 'src/one.txt'],
  ['an untracked', 'nothing'],
] as const) {
  test(`${what} file in the way of a landing: the first command proposed moves it`, async () => {
    const repo = makeExecProject();
    const decisions = writeDecisions(repo, { plan: ['approve'] });
    await flame(repo, ['run', 'x', '--from', writePlan(repo, oneTask), '--decisions-file', decisions]);
    repo.write('.git/info/exclude', `.trees/\n${ignore}\n`);
    repo.write('src/one.txt', 'mine\n');
    const refused = await flame(repo, ['review', '--changeset', 'one', '--approve']);
    assertRefused(refused, { code: 1, says: 'src/one.txt', next: 'git flame review' });
    const [first = ''] = nextCommands(refused.stderr);
    execSync(first, { cwd: join(repo.path, 'src'), env: repo.env, stdio: 'pipe' });
    const landed = await flame(repo, ['review']);
    assert.is(landed.code, 0, landed.stderr);
    assert.is(readFileSync(join(repo.path, 'src/one.txt'), 'utf8'), 'one\n');
    assert.is(repo.git('show', 'stash@{0}^3:src/one.txt'), 'mine');
  });
}

test('CFG-8: config schema needs no repository', async () => {
  const repo = makeExecProject();
  const { code, stdout } = await flame(repo, ['config', 'schema'], { cwd: makeTempDir() });
  assert.is(code, 0);
  assert.equal(JSON.parse(stdout), JSON.parse(readFileSync('templates/blueflame.schema.json', 'utf8')));
});

test.run();
