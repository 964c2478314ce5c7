import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame, flameJson, lookOnly } from '../support/flame.ts';
import { makeRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { runGit, snapshot, writeHook } from './fixture.ts';

/** Repositories as people have them. */
const repositories: readonly { readonly name: string; make(): TestRepo }[] = [
  { name: 'no hooks', make: () => makeRepo() },
  { name: 'sha256', make: () => makeRepo({ objectFormat: 'sha256' }) },
  { name: 'an odd path', make: () => withHooks(makeRepo({ name: 'a \'b"$(id)\nc\\' })) },
  { name: 'hooks of all kinds', make: () => withHooks(makeRepo()) },
  {
    name: 'no hooks folder, no info folder',
    make: () => {
      const repo = makeRepo();
      for (const name of ['hooks', 'info']) rmSync(join(repo.path, '.git', name), { recursive: true, force: true });
      return repo;
    },
  },
  {
    name: 'a configuration of an own shape',
    make: () => {
      const repo = makeRepo();
      const odd = '; first\n[Core] hookspath = .husky/_ ; a comment\n[notes]\n  # none yet\n[a "b"]\n\tc = d';
      appendFileSync(join(repo.path, '.git/config'), odd);
      chmodSync(join(repo.path, '.git/config'), 0o600);
      return withHusky(repo);
    },
  },
  { name: 'husky', make: () => withHusky(makeRepo()) },
  {
    name: 'tracked hooks, an absolute path',
    make: () => {
      const repo = makeRepo();
      writeHook(join(repo.path, '.githooks/commit-msg'), ['echo tracked']);
      repo.git('config', 'core.hooksPath', join(repo.path, '.githooks'));
      return repo;
    },
  },
  {
    name: 'a hooks folder that is a link to tracked files',
    make: () => {
      const repo = makeRepo();
      writeHook(join(repo.path, '.githooks/commit-msg'), ['echo tracked']);
      rmSync(join(repo.path, '.git/hooks'), { recursive: true, force: true });
      symlinkSync('../.githooks', join(repo.path, '.git/hooks'));
      return repo;
    },
  },
  {
    name: 'a hook that looks at its name',
    make: () => {
      const repo = makeRepo();
      writeHook(join(repo.path, '.git/hooks/commit-msg'), ['echo "I am $(basename "$0")"']);
      return repo;
    },
  },
];

for (const { name, make } of repositories) {
  test(`HKS-1: --uninstall restores every byte and mode: ${name}`, async () => {
    const repo = make();
    const before = snapshot(repo.path);
    const first = await flameJson(repo, ['init']);
    assert.is(first.code, 0, first.stderr);
    const installed = snapshot(repo.path);
    assert.ok(sorted(first.lines[0]?.written).length >= 4);
    const again = await flame(repo, ['init']);
    assert.is(again.stdout, 'Everything is already in place.\n');
    assert.equal(snapshot(repo.path), installed, 'a second time changes nothing');
    // Nothing that is or may be tracked was touched, but for the configuration.
    const isOurs = (path: string): boolean => path === '.blueflame.yml' || /^\.git(?:\/|$)/.test(path);
    assert.equal(except(installed, isOurs), except(before, isOurs));
    assert.is(repo.git('status', '--porcelain', '--', ':!.blueflame.yml', ':!.githooks', ':!.husky'), '');
    const removed = await flameJson(repo, ['init', '--uninstall']);
    assert.is(removed.code, 0, removed.stderr);
    assert.equal(removed.lines[0]?.left, []);
    const after = snapshot(repo.path);
    assert.ok('.blueflame.yml' in after);
    const isState = (path: string): boolean => path === '.blueflame.yml' || path === '.git/index';
    assert.equal(except(after, isState), except(before, isState));
    assert.is((await flame(repo, ['init', '--uninstall'])).stdout, 'git flame has installed nothing here.\n');
  });

  test(`HKS-1: --dry-run says the same and changes nothing: ${name}`, async () => {
    const repo = make();
    const before = snapshot(repo.path);
    const dry = await flameJson(repo, ['init', '--dry-run']);
    assert.equal(snapshot(repo.path), before);
    const real = await flameJson(repo, ['init']);
    assert.equal(dry.lines[0]?.written, real.lines[0]?.written);
    const installed = snapshot(repo.path);
    const dryRemoval = await flameJson(repo, ['init', '--uninstall', '--dry-run']);
    assert.equal(snapshot(repo.path), installed);
    const removal = await flameJson(repo, ['init', '--uninstall']);
    assert.equal(sorted(dryRemoval.lines[0]?.removed), sorted(removal.lines[0]?.removed));
  });
}

test('--no-hooks leaves hooks as they are', async () => {
  const repo = withHooks(makeRepo());
  const before = snapshot(join(repo.path, '.git/hooks'));
  assert.is((await flame(repo, ['init', '--no-hooks'])).code, 0);
  assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
  // Nor does it take away installed ones.
  await flame(repo, ['init']);
  const installed = snapshot(join(repo.path, '.git/hooks'));
  await flame(repo, ['init', '--no-hooks']);
  assert.equal(snapshot(join(repo.path, '.git/hooks')), installed);
});

test('what git flame run sets up is taken back too', async () => {
  const repo = makeRepo();
  const before = snapshot(repo.path);
  await flame(repo, ['run', 'x', '--from', 'absent.yml']);
  assert.match(repo.git('config', '--get-all', 'notes.displayRef'), /refs\/blueflame\/show\[n\]/);
  assert.is((await flame(repo, ['init', '--uninstall'])).code, 0);
  const after = snapshot(repo.path);
  const isRunTime = (path: string): boolean => path.startsWith('.git/blueflame') || path === '.git/index';
  assert.equal(except(after, isRunTime), except(before, isRunTime));
});

test('what others changed since stays: only what was added is taken from it', async () => {
  const repo = makeRepo({ config: 'schema_version: 1\nproject: { worktree_dir: .trees }\n' });
  await flame(repo, ['init']);
  const exclude = (): string => readFileSync(join(repo.path, '.git/info/exclude'), 'utf8');
  assert.match(exclude(), /^\/\.trees\/$/m);
  repo.git('config', 'user.name', 'Somebody');
  repo.git('config', '--add', 'notes.displayRef', 'refs/notes/mine');
  appendFileSync(join(repo.path, '.git/info/exclude'), '/mine/\n');
  const removal = await flameJson(repo, ['init', '--uninstall']);
  assert.is(removal.code, 0);
  assert.is(repo.git('config', '--get-all', 'notes.displayRef'), 'refs/notes/mine');
  assert.is(repo.git('config', 'user.name'), 'Somebody');
  assert.match(exclude(), /\/mine\/\n$/);
  assert.not.match(exclude(), /\.trees/);
});

test('a hook somebody changed since is neither overwritten nor removed, and it is said', async () => {
  const repo = withHooks(makeRepo());
  await flame(repo, ['init']);
  const hook = join(repo.path, '.git/hooks/commit-msg');
  appendFileSync(hook, 'echo mine too\n');
  const changed = snapshot(join(repo.path, '.git'));
  const again = await flame(repo, ['init']);
  assert.is(again.code, 1);
  assert.match(again.stderr, /commit-msg is from git-flame but was changed since/);
  assert.equal(snapshot(join(repo.path, '.git')), changed);
  const removal = await flame(repo, ['init', '--uninstall']);
  assert.is(removal.code, 1);
  assert.match(
    removal.stderr,
    /hooks\/commit-msg was changed since, so it stays, and so does commit-msg\.before-flame/,
  );
  assert.match(readFileSync(hook, 'utf8'), /echo mine too\n$/);
  assert.ok(existsSync(`${hook}.before-flame`));
  // The others are as they were.
  assert.is(readlinkSync(join(repo.path, '.git/hooks/pre-push')), '../elsewhere.sh');
  // Once the person has decided, the rest is taken back.
  renameSync(`${hook}.before-flame`, hook);
  assert.is((await flame(repo, ['init', '--uninstall'])).code, 0);
});

test('a hook that was replaced since stays, as does the one before it', async () => {
  const repo = withHooks(makeRepo());
  await flame(repo, ['init']);
  const hook = join(repo.path, '.git/hooks/commit-msg');
  writeHook(hook, ['echo another']);
  assert.match((await flame(repo, ['init'])).stderr, /commit-msg was replaced since by another hook/);
  const removal = await flame(repo, ['init', '--uninstall']);
  assert.is(removal.code, 1);
  assert.match(readFileSync(hook, 'utf8'), /echo another/);
  assert.ok(existsSync(`${hook}.before-flame`));
});

test('core.hooksPath that was set to something else since stays, and it is said', async () => {
  const repo = withHusky(makeRepo());
  await flame(repo, ['init']);
  repo.git('config', 'core.hooksPath', '.elsewhere');
  const removal = await flame(repo, ['init', '--uninstall']);
  assert.is(removal.code, 1);
  assert.match(removal.stderr, /core\.hooksPath was set to \.elsewhere since, so it stays/);
  assert.is(repo.git('config', 'core.hooksPath'), '.elsewhere');
  assert.not.ok(existsSync(join(repo.path, '.git/blueflame-init')));
});

test('husky installed again takes core.hooksPath; init takes it back, uninstall leaves husky', async () => {
  const repo = withHusky(makeRepo());
  await flame(repo, ['init']);
  repo.git('config', 'core.hooksPath', '.husky/_');
  const again = await flameJson(repo, ['init']);
  assert.match(JSON.stringify(again.lines[0]?.written), /core\.hooksPath = .*was \.husky\/_/);
  assert.match(repo.git('config', 'core.hooksPath'), /blueflame-init\/hooks$/);
  assert.is((await flame(repo, ['init', '--uninstall'])).code, 0);
  assert.is(repo.git('config', 'core.hooksPath'), '.husky/_');
});

test('doctor says when installed hooks are out of force', async () => {
  const repo = withHusky(makeRepo());
  const print = async (): Promise<unknown> => {
    const [report] = (await flameJson(repo, lookOnly)).lines;
    const findings = report?.findings as readonly { readonly check: string; readonly result: string }[];
    return findings.find(({ check }) => check === 'git-hooks')?.result;
  };
  assert.is(await print(), undefined);
  await flame(repo, ['init']);
  assert.is(await print(), 'proven');
  repo.git('config', 'core.hooksPath', '.husky/_');
  assert.is(await print(), 'weaker');
  await flame(repo, ['init', '--uninstall']);
  assert.is(await print(), undefined);
});

test('husky that comes later: the hooks move, and those that were there before ours are back', async () => {
  const repo = withHooks(makeRepo());
  const before = snapshot(join(repo.path, '.git/hooks'));
  await flame(repo, ['init']);
  withHusky(repo);
  assert.is((await flame(repo, ['init'])).code, 0);
  assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
  assert.match(repo.git('config', 'core.hooksPath'), /blueflame-init\/hooks$/);
  assert.is((await flame(repo, ['init', '--uninstall'])).code, 0);
  assert.is(repo.git('config', 'core.hooksPath'), '.husky/_');
  assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
});

test('a global core.hooksPath: its folder is not written, its hooks still run', async () => {
  const repo = makeRepo();
  const home = makeTempDir();
  writeHook(join(home, 'hooks/post-commit'), ['echo global post-commit >&2']);
  writeFileSync(join(home, 'config'), '[core]\n\thooksPath = ~/hooks\n');
  const env = { HOME: home, GIT_CONFIG_GLOBAL: join(home, 'config') };
  const before = { home: snapshot(home), config: readFileSync(join(repo.path, '.git/config'), 'utf8') };
  assert.is((await flame(repo, ['init'], { env })).code, 0);
  const commit = runGit(repo, ['commit', '--allow-empty', '-qm', 'x'], { env });
  assert.equal([commit.code, commit.stderr], [0, 'global post-commit\n']);
  assert.equal(snapshot(home), before.home);
  assert.is((await flame(repo, ['init', '--uninstall'], { env })).code, 0);
  assert.is(readFileSync(join(repo.path, '.git/config'), 'utf8'), before.config);
});

test('CFG-8 what init writes says how an editor completes it, and that works', async () => {
  const repo = makeRepo();
  assert.is((await flame(repo, ['init'])).code, 0);
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  const [, command = '', file = ''] = /^# .*editor: git flame (.+) > (\S+)$/m.exec(text) ?? [];
  assert.match(text, `# yaml-language-server: $schema=${file}\n`);
  const { code, stdout } = await flame(repo, command.split(' '));
  assert.is(code, 0);
  assert.is((JSON.parse(stdout) as { type: string }).type, 'object');
});

test('from a linked worktree and a subfolder the same hooks are installed', async () => {
  const repo = withHooks(makeRepo());
  const before = snapshot(join(repo.path, '.git/hooks'));
  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'side');
  const init = await flame(repo, ['init'], { cwd: join(linked, 'src') });
  assert.is(init.code, 0, init.stderr);
  assert.ok(existsSync(join(repo.path, '.git/hooks/commit-msg.before-flame')));
  assert.ok(existsSync(join(repo.path, '.blueflame.yml')));
  assert.is((await flame(repo, ['init'])).stdout, 'Everything is already in place.\n');
  assert.is((await flame(repo, ['init', '--uninstall'], { cwd: linked })).code, 0);
  assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
});

test('a work tree with its own core.hooksPath is told that hooks do not run there', async () => {
  const repo = makeRepo();
  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'side');
  repo.git('config', 'extensions.worktreeConfig', 'true');
  repo.git('-C', linked, 'config', '--worktree', 'core.hooksPath', '/elsewhere');
  const init = await flame(repo, ['init'], { cwd: linked });
  assert.match(init.stdout, /its own core\.hooksPath: \/elsewhere/);
  assert.ok(existsSync(join(repo.path, '.git/hooks/commit-msg')));
});

test('a bare repository is refused', async () => {
  const repo = makeRepo();
  const bare = join(makeTempDir(), 'bare.git');
  repo.git('clone', '-q', '--bare', '.', bare);
  const before = snapshot(bare);
  for (const option of [[], ['--uninstall']]) {
    const run = await flame(repo, ['init', ...option], { cwd: bare });
    assert.is(run.code, 128);
    assert.match(run.stderr, /bare repository/);
  }
  assert.equal(snapshot(bare), before);
});

test('a repository that was moved finds its hooks and those before them again', async () => {
  for (const prepare of [withHooks, withHusky]) {
    const original = prepare(makeRepo());
    const before = snapshot(join(original.path, '.git/hooks'));
    await flame(original, ['init']);
    const path = join(makeTempDir(), 'moved');
    cpSync(original.path, path, { recursive: true, verbatimSymlinks: true });
    original.remove();
    const repo = openRepo(path);
    assert.is((await flame(repo, ['init'])).code, 0);
    const commit = runGit(repo, ['commit', '--allow-empty', '-qm', 'x']);
    assert.equal([commit.code, commit.stderr], [0, prepare === withHooks ? 'before\n' : 'husky commit-msg\n']);
    const removal = await flame(repo, ['init', '--uninstall']);
    assert.is(removal.code, 0, removal.stderr);
    assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
    if (prepare === withHusky) assert.is(repo.git('config', 'core.hooksPath'), '.husky/_');
  }
});

test('killed between its steps, the next init or uninstall goes on', async () => {
  const repo = withHooks(makeRepo());
  const hooks = join(repo.path, '.git/hooks');
  const before = snapshot(hooks);
  await flame(repo, ['init']);
  const installed = snapshot(hooks);
  // After the hook was renamed, before ours was written.
  rmSync(join(hooks, 'commit-msg'));
  assert.is((await flame(repo, ['init'])).code, 0);
  assert.equal(snapshot(hooks), installed);
  // After ours was removed, before the former was renamed back.
  rmSync(join(hooks, 'commit-msg'));
  assert.is((await flame(repo, ['init', '--uninstall'])).code, 0);
  assert.equal(snapshot(hooks), before);
});

test('a configuration that is locked stops init with the reason', async () => {
  const repo = makeRepo();
  writeFileSync(join(repo.path, '.git/config.lock'), '');
  const run = await flame(repo, ['init']);
  assert.is(run.code, 128);
  assert.match(run.stderr, /config\.lock exists/);
  rmSync(join(repo.path, '.git/config.lock'));
  assert.is((await flame(repo, ['init'])).code, 0);
});

function withHooks(repo: TestRepo): TestRepo {
  const hooks = join(repo.path, '.git/hooks');
  mkdirSync(hooks, { recursive: true });
  writeHook(join(hooks, 'commit-msg'), ['echo before >&2'], 0o751);
  writeHook(join(hooks, 'pre-commit'), ['exit 1'], 0o644);
  writeHook(join(repo.path, '.git', 'elsewhere.sh'), ['exit 0'], 0o700);
  symlinkSync('../elsewhere.sh', join(hooks, 'pre-push'));
  writeHook(join(hooks, 'post-commit'), ['exit 0']);
  return repo;
}

/** As husky 9 leaves a repository: a folder of generated hooks that look at their name. */
function withHusky(repo: TestRepo): TestRepo {
  const folder = join(repo.path, '.husky/_');
  for (const name of ['commit-msg', 'pre-commit', 'post-merge']) {
    writeHook(join(folder, name), ['. "$(dirname "$0")/h"']);
  }
  writeHook(join(folder, 'h'), ['[ "$(basename "$0")" != commit-msg ] || echo husky commit-msg >&2'], 0o644);
  writeFileSync(join(folder, '.gitignore'), '*');
  repo.git('config', 'core.hooksPath', '.husky/_');
  return repo;
}

function except(
  files: Readonly<Record<string, string>>,
  isLeftOut: (path: string) => boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !isLeftOut(path)));
}

function sorted(lines: unknown): readonly unknown[] {
  return Array.isArray(lines) ? [...lines].sort() : [];
}

test.run();
