import { execSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { programFolder } from '../support/program.ts';
import { assertRefused, nextCommands } from '../support/refusal.ts';
import { makeRepo, makeTempDir, openRepo } from '../support/repo.ts';
import { hasPseudoTerminal, openScreen } from '../support/screen.ts';
import { testIf } from '../support/skip.ts';

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

testIf(
  test,
  hasPseudoTerminal(),
  'script of util-linux is missing: no pseudo-terminal',
)('the end of the input at a question saves, ends with 2 and says what answers it', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, oneTask);
  const env = { ...repo.env, PATH: `${programFolder}:${repo.env.PATH ?? ''}`, TERM: 'dumb', NO_COLOR: '1' };
  for (const [command, says] of [
    [`git flame plan One --from ${plan}`, 'plan: [approve |'],
    [`git flame run One --from ${plan}`, 'plan: [approve |'],
  ] as const) {
    const screen = openScreen(command, { cwd: repo.path, env, columns: 200 });
    await screen.type('', /\? $/);
    assert.is(await screen.end('\u0004'), 2, screen.text());
    assert.ok(screen.text().includes(`--decisions-file: ${says}`), screen.text());
    assert.ok(nextCommands(screen.text()).length > 0, screen.text());
  }
});

test('config migrate: --dry-run leaves the file, --json tells what it would be', async () => {
  const repo = makeRepo();
  const old = '# mine\nproject: { name: x }\n';
  repo.write('.blueflame.yml', old);
  const file = join(repo.path, '.blueflame.yml');
  const dry = await flame(repo, ['config', 'migrate', '--write', '--dry-run']);
  assert.is(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^Would rewrite /);
  assert.is(readFileSync(file, 'utf8'), old);
  const { lines } = await flameJson(repo, ['config', 'migrate']);
  assert.is(lines[0]?.changed, true);
  assert.match(String(lines[0]?.text), /^# mine\n[\s\S]*schema_version: 2/m);
  assert.is((await flame(repo, ['config', 'migrate', '--write'])).code, 0);
  assert.is(readFileSync(file, 'utf8'), lines[0]?.text);
});

test('init says what each thing is for and how to take it back; the keys to begin with can be uncommented', async () => {
  const repo = makeRepo();
  const { code, stdout } = await flame(repo, ['init']);
  assert.is(code, 0);
  const [, ...lines] = stdout.trimEnd().split('\n');
  assert.is(lines.pop(), 'git flame init --uninstall removes all of it except .blueflame.yml.');
  for (const line of lines) assert.match(line, /^ {2}\S.* {2,}\S/, 'every line has its purpose');
  const file = join(repo.path, '.blueflame.yml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^# (?=permissions|validation|limits| )/gm, ''));
  const { lines: shown, stderr } = await flameJson(repo, ['config']);
  assert.is(stderr, '');
  const { permissions, validation } = shown[0] as Record<string, Record<string, Record<string, unknown>>>;
  assert.equal(permissions?.allowed_paths, ['src/**', 'test/**']);
  assert.equal(validation?.validator_diagnostics?.commands, ['npm test']);
});

test('init in a submodule and in a linked worktree prepares the repository it is in', async () => {
  const outer = makeRepo();
  const inner = makeRepo();
  outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.path, 'inner');
  outer.commit('add inner');
  const submodule = openRepo(join(outer.path, 'inner'));
  assert.is((await flame(submodule, ['init'])).code, 0);
  assert.ok(existsSync(join(submodule.path, '.blueflame.yml')));
  assert.is(existsSync(join(outer.path, '.blueflame.yml')), false);
  assert.not.match(outer.git('config', '--local', '--list'), 'displayref');
  outer.git('worktree', 'add', '-q', '../linked');
  const linked = openRepo(join(outer.path, '..', 'linked'));
  assert.is((await flame(linked, ['init'])).code, 0);
  assert.ok(existsSync(join(outer.path, '.blueflame.yml')));
  assert.is((await flame(linked, ['init', '--uninstall'])).code, 0);
  assert.is((await flame(submodule, ['init', '--uninstall'])).code, 0);
  assert.is(existsSync(join(outer.path, '.git/modules/inner/hooks/commit-msg')), false);
});

test.run();
