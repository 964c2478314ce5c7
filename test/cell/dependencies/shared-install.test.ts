import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listOldDependencies } from '../../../lib/cell/dependencies/dependency-store.ts';
import { listPinnedRequirementFiles } from '../../../lib/cell/dependencies/install-inputs.ts';
import { recogniseInstall } from '../../../lib/cell/dependencies/recognise-install.ts';
import { pathFactsWithOverlays } from '../../../lib/cell/dependencies/worktree-dependencies.ts';
import { uncachedPathFacts } from '../../../lib/cell/watcher/path-facts.ts';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { CommandRun } from '../../../lib/domain/ports/agent-port.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import { makeTempDir } from '../../support/repo.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import {
  closeRegistries,
  startCrates,
  startGoProxy,
  startNpmRegistry,
  startPythonIndex,
  type TestRegistry,
  toolPath,
  works,
} from '../egress/registries.ts';
import { type CellFixture, openCellFixture } from '../fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const hasPip = works('python3', ['-m', 'pip', '--version']);
const withPip = testIf(test, hasPip, 'python3 and its pip are missing');

test.after.each(closeRegistries);

for (const way of ['mounted', 'copied'] as const)
  (way === 'mounted' ? inCell : test)(
    `WRK-7 npm ci runs once for one lock file; what a worktree writes into it, ${way}, is its own`,
    async () => {
      const registry = await startNpmRegistry();
      const project = await openProject(npmProject(registry), npmrc(registry), way === 'copied' ? noMount() : {});
      const [one, two] = [await project.worktree(), await project.worktree()];
      const runs = await Promise.all([one, two].map((cell) => setUp(project, cell, 'npm ci --no-audit')));
      for (const run of runs) assert.is(run.exitCode, 0, run.output);
      assert.is(existsSync(join(two.path, 'node_modules/greeting')), way === 'copied');
      const wrote = await check(
        project,
        one,
        `set -e; cd node_modules; echo 'module.exports = "changed"' > greeting/index.js; mkdir .cache
       touch .cache/x greeting/new; rm greeting/package.json; node -p 'require("greeting")'`,
      );
      assert.match(wrote.output, /changed/, wrote.output);
      const third = await project.worktree();
      assert.is((await setUp(project, third, 'npm ci --no-audit')).exitCode, 0);
      for (const cell of [two, third]) {
        const seen = await check(
          project,
          cell,
          'node -p \'require("greeting")\'; ls -A node_modules node_modules/greeting',
        );
        assert.match(seen.output, /hello from a package/);
        assert.equal(seen.output.trim().split('\n').slice(2), [
          ...['.package-lock.json', 'greeting', '', 'node_modules/greeting:', 'index.js', 'package.json'],
        ]);
      }
      const kept = await check(project, one, 'node -p \'require("greeting")\'; ls node_modules/greeting');
      assert.equal(kept.output.trim().split('\n'), ['changed', 'index.js', 'new']);
      assert.is(tarballs(registry), 1);
      const removed = await setUp(project, one, 'npm ci --no-audit');
      assert.is(removed.exitCode, 0, removed.output);
      assert.match((await check(project, one, 'node -p \'require("greeting")\'')).output, /hello from/);
    },
  );

for (const way of ['mounted', 'copied'] as const)
  test(`VAL-3 what a package generates from a file of the project is each worktree's own, ${way}`, async () => {
    const registry = await startGenerator();
    const files = { ...npmProject(registry, scripted), 'schema.txt': 'v1\n' };
    const project = await openProject(files, npmrc(registry), way === 'copied' ? noMount() : {});
    const { repo } = project.fixture;
    const base = parseObjectId(repo.git('rev-parse', 'HEAD'));
    const first = await project.worktree();
    repo.write('schema.txt', 'v2\n');
    repo.commit('An agent changes what is generated from');
    const second = await project.worktree();
    // A check that is right for the first is wrong for the second, and the other way round.
    const asks = `set -e; test "$(node -p 'require("./node_modules/.gen/out.js")')" = "$(cat schema.txt)"`;
    for (const [cell, basedOn] of [[first], [second, base]] as const) {
      const run = await setUp(project, cell, 'npm ci --no-audit', basedOn);
      assert.is(run.exitCode, 0, run.output);
      const checked = await check(project, cell, asks);
      assert.is(checked.exitCode, 0, checked.output);
    }
    const said = await check(project, second, 'cat node_modules/.gen/out.js node_modules/greeting/own.js');
    assert.match(said.output, /v2[\s\S]*v2/);
    assert.is(tarballs(registry), 1);
    // By a setup command, and by an agent.
    repo.write('schema.txt', 'v3\n');
    repo.commit('Another');
    const third = await project.worktree();
    for (const command of ['npm ci --no-audit --ignore-scripts', 'npx gen'])
      assert.is((await setUp(project, third, command)).exitCode, 0);
    assert.is((await check(project, third, asks)).exitCode, 0);
    const changed = await check(project, third, `echo v4 > schema.txt; npx gen; ${asks}`);
    assert.is(changed.exitCode, 0, changed.output);
    assert.is((await check(project, first, asks)).exitCode, 0);
  });

test('VAL-3 a package whose script fails without the project is installed in each worktree', async () => {
  const registry = await startGenerator({ isStrict: true });
  const files = { ...npmProject(registry, scripted), 'schema.txt': 'v1\n' };
  const project = await openProject(files, npmrc(registry));
  const cell = await project.worktree();
  const run = await setUp(project, cell, 'npm ci --no-audit');
  assert.is(run.exitCode, 0, run.output);
  assert.equal(kinds(project), { made: [], halfMade: [] });
  assert.match(readFileSync(join(cell.path, 'node_modules/.gen/out.js'), 'utf8'), /v1/);
});

test('WAT-5 a judge sees what is mounted in a cell as the cell does', () => {
  const own = makeTempDir('overlay');
  for (const name of ['lower/.bin', 'lower/old', 'upper/old', 'target'])
    mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, 'lower/.bin/vitest'), '');
  symlinkSync('/etc', join(own, 'upper/away'));
  for (const name of ['lower/old/x', 'lower/gone', 'lower/away']) writeFileSync(join(own, name), '');
  // As a device, which only root can make, it is neither a file, a folder nor a link.
  assert.is(spawnSync('mkfifo', [join(own, 'upper/gone')]).status, 0);
  const target = join(own, 'target');
  const facts = pathFactsWithOverlays(uncachedPathFacts, [{ own, target }]);
  assert.is(facts.lstat(join(target, '.bin/vitest'))?.kind, 'file');
  assert.is(facts.lstat(join(target, 'old/x'))?.kind, 'file');
  assert.is(facts.lstat(join(target, 'away'))?.target, '/etc');
  assert.is(facts.lstat(join(target, 'gone')), null);
  assert.is(facts.lstat(target)?.kind, 'directory');
  assert.equal(facts.list(target)?.toSorted(), ['.bin', 'away', 'old']);
  assert.is(facts.list(join(target, 'none')), null);
});

test('WRK-7 a workspace has its own node_modules, and finds its neighbours', async () => {
  const registry = await startNpmRegistry();
  const project = await openProject(workspaces(registry), npmrc(registry));
  for (const cell of [await project.worktree(), await project.worktree()]) {
    const run = await setUp(project, cell, 'npm ci --no-audit');
    assert.is(run.exitCode, 0, run.output);
    const said = await check(
      project,
      cell,
      'cd packages/b && node -p \'require("greeting") + require("a")\'; touch node_modules/x',
    );
    assert.match(said.output, /hello from a package of a/, said.output);
  }
  assert.is(kinds(project).made.length, 1);
  assert.is(tarballs(registry), 1);
});

test('WRK-7 the folder in which pnpm keeps all packages is shared, root without dependencies or not', async () => {
  const tools = makeTempDir('tools');
  const install = `mkdir -p node_modules/.pnpm/lib packages/a/node_modules
    echo 'module.exports = "hello"' > node_modules/.pnpm/lib/index.js
    ln -s ../../../node_modules/.pnpm/lib packages/a/node_modules/lib`;
  const program = `#!/bin/sh\n[ "$1" = --version ] && { echo 9; exit; }\n${install}\n`;
  writeFileSync(join(tools, 'pnpm'), program, { mode: 0o755 });
  const project = await openProject(
    {
      'package.json': '{"name":"root","private":true}\n',
      'packages/a/package.json': '{"name":"a","dependencies":{"lib":"1"}}\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'pnpm-workspace.yaml': 'packages: [packages/*]\n',
    },
    {},
    { PATH: `${tools}:${toolPath()}` },
  );
  for (const cell of [await project.worktree(), await project.worktree()]) {
    const run = await setUp(project, cell, 'pnpm install --frozen-lockfile --ignore-scripts');
    assert.is(run.exitCode, 0, run.output);
    const said = await check(project, cell, 'cd packages/a && node -p \'require("lib")\'');
    assert.match(said.output, /hello/, said.output);
  }
  assert.is(kinds(project).made.length, 1);
});

test('WRK-7 a link to dependencies elsewhere gives way to an install, and what it led to stays', async () => {
  const registry = await startNpmRegistry();
  const project = await openProject(npmProject(registry), npmrc(registry));
  const cell = await project.worktree();
  project.fixture.repo.write('node_modules/mine/index.js', 'mine\n');
  symlinkSync(join(project.fixture.repo.path, 'node_modules'), join(cell.path, 'node_modules'));
  const run = await setUp(project, cell, 'npm ci --no-audit');
  assert.is(run.exitCode, 0, run.output);
  const said = await check(project, cell, 'touch node_modules/x; node -p \'require("greeting")\'');
  assert.match(said.output, /hello from a package/);
  assert.equal(readdirSync(join(project.fixture.repo.path, 'node_modules')), ['mine']);
});

test('WRK-7 dependencies that git tracks, and an empty lock file, are not shared', async () => {
  const registry = await startNpmRegistry();
  const files = npmProject(registry);
  const project = await openProject(
    { ...files, '.gitignore': '.trees\n', 'node_modules/mine/x.js': 'mine\n' },
    npmrc(registry),
  );
  const cell = await project.worktree();
  const run = await setUp(project, cell, 'npm ci --no-audit');
  assert.is(run.exitCode, 0, run.output);
  assert.ok(existsSync(join(cell.path, 'node_modules/greeting/index.js')));
  project.fixture.repo.write('package-lock.json', '');
  project.fixture.repo.git('rm', '-rq', 'node_modules');
  project.fixture.repo.commit('Empty');
  const failed = await setUp(project, await project.worktree(), 'npm ci --no-audit');
  assert.is.not(failed.exitCode, 0);
  assert.match(failed.output, /npm error/);
  assert.equal(kinds(project), { made: [], halfMade: [] });
});

test('WRK-7 where nothing can be kept for others, each worktree has its own install', async () => {
  const registry = await startNpmRegistry();
  const project = await openProject(npmProject(registry), npmrc(registry));
  mkdirSync(dirname(project.root), { recursive: true });
  writeFileSync(project.root, 'no folder');
  const cell = await project.worktree();
  const run = await setUp(project, cell, 'npm ci --no-audit');
  assert.is(run.exitCode, 0, run.output);
  assert.ok(existsSync(join(cell.path, 'node_modules/greeting/index.js')));
});

inCell(
  'EGR-2 setup of what agents wrote reaches the hosts of setup only for an install that is as on the base',
  async () => {
    const registry = await startNpmRegistry();
    const files = npmProject(registry);
    const project = await openProject(files, { '.npmrc': `registry=${registry.url}/npm/\n` });
    const { repo } = project.fixture;
    const basedOn = parseObjectId(repo.git('rev-parse', 'HEAD'));
    const install = 'npm ci --no-audit --fetch-retries=0';
    repo.write(
      'package.json',
      JSON.stringify({
        ...JSON.parse(files['package.json']),
        scripts: { preinstall: 'curl -sf "$npm_config_registry" || true' },
      }),
    );
    repo.commit('An agent adds a script');
    const changed = await project.worktree();
    assert.is.not((await setUp(project, changed, install, basedOn)).exitCode, 0);
    assert.is.not((await setUp(project, changed, 'npm view greeting --fetch-retries=0', basedOn)).exitCode, 0);
    assert.equal(registry.asked, []);
    repo.write('package.json', files['package.json']);
    repo.write('other.txt', 'an agent was here\n');
    repo.commit('An agent changes something else');
    const run = await setUp(project, await project.worktree(), install, basedOn);
    assert.is(run.exitCode, 0, run.output);
    assert.is(tarballs(registry), 1);
  },
);

test('EGR-2 without a lock file npm installs for what agents wrote as on the base, once', async () => {
  const registry = await startNpmRegistry();
  const { 'package-lock.json': _, ...files } = npmProject(registry);
  const project = await openProject(files, { '.npmrc': `registry=${registry.url}/npm/\n` });
  const { repo } = project.fixture;
  const basedOn = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const install = 'npm install --no-package-lock --no-audit --fetch-retries=0';
  repo.write('other.txt', 'an agent was here\n');
  repo.commit('An agent changes something else');
  for (const base of [undefined, basedOn]) {
    const cell = await project.worktree();
    const run = await setUp(project, cell, install, base);
    assert.is(run.exitCode, 0, run.output);
    assert.match((await check(project, cell, 'node -p \'require("greeting")\'')).output, /hello from/);
  }
  assert.is(tarballs(registry), 1);
});

for (const { what, command } of [
  { what: 'rewrites the lock file', command: 'echo >> package-lock.json' },
  { what: 'leaves a configuration of npm', command: 'echo omit=dev > .npmrc' },
  {
    what: 'puts a link in the place of a file',
    command: 'mv package.json a.json; ln -s a.json package.json',
  },
])
  test(`EGR-2 where an earlier setup command ${what}, no other worktree is given that install`, async () => {
    const registry = await startNpmRegistry();
    const project = await openProject(npmProject(registry), { '.npmrc': `registry=${registry.url}/npm/\n` });
    const [one, two] = [await project.worktree(), await project.worktree()];
    assert.is((await setUp(project, one, command)).exitCode, 0);
    assert.is((await setUp(project, one, 'npm ci --no-audit')).exitCode, 0);
    const before = new Set(kinds(project).made);
    assert.is((await setUp(project, two, 'npm ci --no-audit')).exitCode, 0);
    assert.is(kinds(project).made.filter((key) => !before.has(key)).length, 1);
    assert.is(tarballs(registry), 2);
  });

test('EGR-2 pip is shared where every line pins a version, in files that others name too', async () => {
  const folder = makeTempDir('requirements');
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('r/a.txt', '# all\na==1.0 # why\n-r b.txt\n-c ../pins.txt\n');
  write('r/b.txt', "B[x,y] == 2.0.post1 ; python_version < '4' \\\n  --hash=sha256:00ff\n");
  write('pins.txt', 'c==1!3.0rc1\n');
  assert.equal((await listPinnedRequirementFiles(folder, ['r/a.txt']))?.toSorted(), ['pins.txt', 'r/a.txt', 'r/b.txt']);
  const open = ['a', 'a>=1', 'a==1.*', 'libs/foo', './foo', '-e .', '-r base.in', '-c pins.lock', '-r ../x.txt'];
  for (const line of [...open, 'a @ file:///a', '--index-url x', 'a==1.0.zip', '-r missing.txt', 'a==$V']) {
    write('open.txt', `a==1\n${line}\n`);
    assert.is(await listPinnedRequirementFiles(folder, ['open.txt']), null, line);
  }
});

test('EGR-2 another lock file, or another command, is another install', async () => {
  const registry = await startNpmRegistry();
  const project = await openProject(npmProject(registry), { '.npmrc': `registry=${registry.url}/npm/\n` });
  await setUp(project, await project.worktree(), 'npm ci --no-audit');
  await setUp(project, await project.worktree(), 'npm ci --no-audit --omit=dev');
  const kept = kinds(project).made;
  assert.is(kept.length, 2);
  project.fixture.repo.write('package-lock.json', npmProject(registry)['package-lock.json'].replace('"a"', '"b"'));
  project.fixture.repo.commit('Another lock file');
  const run = await setUp(project, await project.worktree(), 'npm ci --no-audit');
  assert.is(run.exitCode, 0, run.output);
  assert.is(kinds(project).made.length, 3);
});

test('EGR-2 an install that fails, or is killed, leaves nothing that counts; the next one makes it', async () => {
  const registry = await startNpmRegistry();
  const files = npmProject(registry);
  const project = await openProject(files, { '.npmrc': `registry=${registry.url}/other/\n` });
  registry.close();
  const failed = await setUp(project, await project.worktree(), 'npm ci --no-audit --fetch-retries=0');
  assert.is.not(failed.exitCode, 0);
  assert.equal(kinds(project), { made: [], halfMade: [] });
  // What a process that is gone had half made.
  const gone = spawnSync('true').pid;
  const half = join(project.root, `${'a'.repeat(64)}.${gone}.new`);
  mkdirSync(half, { recursive: true });
  assert.equal(
    listOldDependencies(project.commonDir, new Date(0)).map(({ path, why }) => [path, why]),
    [[half, 'its install was killed']],
  );
});

test('EGR-2 what no worktree has goes once it is old, and what one has stays', async () => {
  const registry = await startNpmRegistry();
  const project = await openProject(npmProject(registry), { '.npmrc': `registry=${registry.url}/npm/\n` });
  const cell = await project.worktree();
  await setUp(project, cell, 'npm ci --no-audit');
  const [key = ''] = kinds(project).made;
  const long = new Date('2020-01-01');
  utimesSync(join(project.root, key), long, long);
  assert.equal(listOldDependencies(project.commonDir, new Date()), []);
  await project.fixture.port.discardCell(cell);
  assert.equal(
    listOldDependencies(project.commonDir, new Date()).map(({ path }) => path),
    [join(project.root, key)],
  );
  assert.equal(listOldDependencies(project.commonDir, new Date('2019-01-01')), []);
});

test('EGR-2 a project whose own scripts run with an install is set up in each worktree', async () => {
  const registry = await startNpmRegistry();
  const files = npmProject(registry);
  const own = { ...JSON.parse(files['package.json']), scripts: { prepare: 'cat src.txt > built.txt' } };
  const project = await openProject(
    { ...files, 'package.json': JSON.stringify(own), 'src.txt': 'source\n' },
    { '.npmrc': `registry=${registry.url}/npm/\n` },
  );
  for (const cell of [await project.worktree(), await project.worktree()]) {
    const run = await setUp(project, cell, 'npm ci --no-audit');
    assert.is(run.exitCode, 0, run.output);
    assert.ok(lstatSync(join(cell.path, 'node_modules')).isDirectory());
    assert.is(readFileSync(join(cell.path, 'built.txt'), 'utf8'), 'source\n');
  }
  assert.equal(kinds(project).made, []);
});

withPip('EGR-2 pip install runs once; what it brought is there for every cell of such a worktree', async () => {
  const registry = await startPythonIndex();
  const home = { '.config/pip/pip.conf': `[global]\nindex-url = ${registry.url}/simple\n` };
  const project = await openProject({ 'requirements.txt': 'greeting==1.0.0\n' }, home);
  const command = 'python3 -m pip install --disable-pip-version-check -r requirements.txt';
  for (const cell of [await project.worktree(), await project.worktree()]) {
    const run = await setUp(project, cell, command);
    assert.is(run.exitCode, 0, run.output);
    // As `pip install -e .` does after it.
    const added = await setUp(project, cell, 'touch "$PYTHONUSERBASE/own" && ls "$PYTHONUSERBASE"');
    assert.equal(added.output.trim().split('\n'), ['lib', 'own']);
    const said = await check(project, cell, 'python3 -c "import greeting; print(greeting.words)"');
    assert.match(said.output, /hello from a wheel/);
  }
  assert.is(registry.asked.filter(({ path }) => path.endsWith('.whl')).length, 1);
});

if (works('cargo', ['--version']))
  test('EGR-2 cargo fetch runs once; cargo then builds offline from what it made', async () => {
    const registry = await startCrates();
    const config = `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+${registry.url}/index/"\n`;
    const project = await openProject(
      {
        'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ngreeting = "1"\n',
        'src/main.rs': 'fn main() { println!("{}", greeting::WORDS) }\n',
        'Cargo.lock': `version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\ndependencies = [\n "greeting",\n]\n\n[[package]]\nname = "greeting"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${registry.checksum}"\n`,
      },
      { '.cargo/config.toml': config },
    );
    for (const cell of [await project.worktree(), await project.worktree()]) {
      const run = await setUp(project, cell, 'cargo fetch --locked');
      assert.is(run.exitCode, 0, run.output);
      const said = await check(project, cell, 'cargo run --offline --locked -q');
      assert.match(said.output, /hello from a crate/, said.output);
    }
    assert.is(registry.asked.filter(({ path }) => path.startsWith('/crates/')).length, 1);
  });

if (works('go', ['version']))
  test('EGR-2 go mod download runs once; go then builds from what it made', async () => {
    const registry = await startGoProxy();
    const project = await openProject(
      {
        'go.mod': 'module a\n\ngo 1.19\n\nrequire example.test/greeting v1.0.0\n',
        'main.go': 'package main\n\nimport "example.test/greeting"\n\nfunc main() { println(greeting.Words) }\n',
      },
      {},
      { GOPROXY: registry.url, GOSUMDB: 'off' },
    );
    // It writes what it goes by: this can't be shared.
    const first = await project.worktree();
    assert.is((await setUp(project, first, 'go mod download')).exitCode, 0);
    assert.equal(kinds(project), { made: [], halfMade: [] });
    project.fixture.repo.write('go.sum', readFileSync(join(first.path, 'go.sum'), 'utf8'));
    project.fixture.repo.commit('Sums');
    const before = registry.asked.length;
    for (const cell of [await project.worktree(), await project.worktree()]) {
      const run = await setUp(project, cell, 'go mod download');
      assert.is(run.exitCode, 0, run.output);
      const said = await check(
        project,
        cell,
        'GOPROXY=off GONOSUMDB=* GONOSUMCHECK=1 GOFLAGS=-mod=mod GOSUMDB=off go run .',
      );
      assert.match(said.output, /hello from a module/, said.output);
    }
    assert.is(registry.asked.slice(before).filter(({ path }) => path.endsWith('.zip')).length, 1);
  });

test('EGR-2 only what is known to install by lock files alone is shared', () => {
  for (const line of [
    'npm ci',
    'npm  ci --ignore-scripts',
    'npm install --no-package-lock',
    'npm i --no-audit --no-package-lock',
    'pnpm install --frozen-lockfile --ignore-scripts',
    'yarn install --frozen-lockfile --ignore-scripts',
    'bun install --frozen-lockfile --ignore-scripts',
    'cargo fetch --locked',
    'go mod download',
    'pip install -r requirements.txt',
    'pip3 install --no-cache-dir -r a.txt -c pins.txt',
  ])
    assert.ok(recogniseInstall(line), line);
  const others = [
    'npm install',
    'npm install left-pad --no-package-lock',
    'npm install --no-package-lock=false',
    'pnpm install --frozen-lockfile',
    'yarn install --immutable',
    'npm ci && npm run build',
    'npm ci; rm x',
    'npm ci --prefix web',
    'npm ci -w a',
    'cargo build',
  ];
  const more = [
    'cargo fetch --manifest-path x',
    'pip install -e .',
    'pip install requests',
    'pip install --target lib -r a.txt',
    'npm ci $X',
    'npm ci --userconfig=x',
    'pip install -r base.in',
    'pip install -c pins.txt',
    'pip install -r a.txt -c pins.lock',
    'pip install --find-links=wheels -r a.txt',
    'pip install -r a.txt libs/foo',
  ];
  for (const line of [...others, ...more, 'go mod download example.test/x'])
    assert.is(recogniseInstall(line), null, line);
});

interface Project {
  readonly fixture: CellFixture;
  readonly commonDir: string;
  /** Where dependencies are kept. */
  readonly root: string;
  worktree(): Promise<CellWorktree>;
}

async function openProject(
  files: Readonly<Record<string, string>>,
  home: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const person = makeTempDir('person');
  for (const [name, content] of Object.entries(home)) {
    mkdirSync(dirname(join(person, name)), { recursive: true });
    writeFileSync(join(person, name), content);
  }
  const rustup = process.env.RUSTUP_HOME ?? join(process.env.HOME ?? '', '.rustup');
  const fixture = await openCellFixture({
    env: {
      ...{ PATH: toolPath(), HOME: person },
      ...(existsSync(rustup) ? { RUSTUP_HOME: rustup } : {}),
      ...env,
    },
    config: { sandbox: { egress: { setup: ['from-config'] } } },
  });
  const { repo, port } = fixture;
  for (const [name, content] of Object.entries({
    '.gitignore': '.trees\nnode_modules\ntarget\nbuilt.txt\n',
    ...files,
  }))
    repo.write(name, content);
  repo.commit('A project');
  const { commonDir } = port.repository;
  let count = 0;
  const worktree = (): Promise<CellWorktree> => {
    count += 1;
    return port.addCellWorktree(
      join(`${repo.path}.trees`, `worker-0000000${count}`),
      parseObjectId(repo.git('rev-parse', 'HEAD')),
    );
  };
  return { fixture, commonDir, root: join(commonDir, 'blueflame', 'dependencies'), worktree };
}

function kinds({ root }: Project): {
  readonly made: readonly string[];
  readonly halfMade: readonly string[];
} {
  const names = existsSync(root) ? readdirSync(root) : [];
  return {
    made: names.filter((name) => /^[0-9a-f]{64}$/.test(name)),
    halfMade: names.filter((name) => name.endsWith('.new')),
  };
}

function setUp({ fixture }: Project, worktree: CellWorktree, command: string, basedOn?: ObjectId): Promise<CommandRun> {
  return fixture.runner.runCommand({
    command,
    phase: 'setup',
    basedOn,
    worktree,
    timeoutMs: 120_000,
    label: 'setup',
  });
}

function check({ fixture }: Project, worktree: CellWorktree, command: string): Promise<CommandRun> {
  return fixture.runner.runCommand({
    command,
    phase: 'diagnostics',
    worktree,
    timeoutMs: 120_000,
    label: 'check',
  });
}

function tarballs(registry: TestRegistry): number {
  return registry.asked.filter(({ path }) => path.endsWith('.tgz')).length;
}

function npmrc({ url }: TestRegistry): Readonly<Record<string, string>> {
  return { '.npmrc': `registry=${url}/npm/\n` };
}

/** Where mount(8) fails, nothing can be mounted. */
function noMount(): Readonly<Record<string, string>> {
  const folder = makeTempDir('no-mount');
  writeFileSync(join(folder, 'mount'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return { PATH: `${folder}:${toolPath()}` };
}

/** What a lock file says of it. */
const scripted = { hasInstallScript: true, bin: { gen: 'gen.js' } };

/** A package that writes beside the others, and into itself, what it finds in the project, if anything. */
function startGenerator({ isStrict = false } = {}): ReturnType<typeof startNpmRegistry> {
  const missing = isStrict ? 'process.exit(3)' : '""';
  const program = `#!/usr/bin/env node
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const root = process.env.INIT_CWD ?? process.cwd();
const found = existsSync(root + '/schema.txt') ? readFileSync(root + '/schema.txt', 'utf8').trim() : ${missing};
mkdirSync(root + '/node_modules/.gen', { recursive: true });
const out = root + '/node_modules/.gen/out.js';
if (!existsSync(out) || process.env.npm_lifecycle_event === 'npx') writeFileSync(out, 'module.exports = ' + JSON.stringify(found));
writeFileSync(__dirname + '/own.js', found);
`;
  return startNpmRegistry({
    facts: { bin: { gen: 'gen.js' }, scripts: { postinstall: 'node gen.js' } },
    files: { 'package/gen.js': program },
  });
}

function workspaces(registry: TestRegistry & { readonly integrity: string }): Readonly<Record<string, string>> {
  const { 'package-lock.json': lock } = npmProject(registry);
  const { 'node_modules/greeting': greeting } = JSON.parse(lock).packages;
  const root = { name: 'root', version: '1.0.0', workspaces: ['packages/*'] };
  const one = { name: 'a', version: '1.0.0' };
  const two = { name: 'b', version: '1.0.0', dependencies: { greeting: '1.0.0', a: '1.0.0' } };
  const packages = {
    '': root,
    ...{ 'packages/a': one, 'packages/b': two, 'packages/b/node_modules/greeting': greeting },
    'node_modules/a': { resolved: 'packages/a', link: true },
    'node_modules/b': { resolved: 'packages/b', link: true },
  };
  return {
    'package.json': JSON.stringify(root),
    'packages/a/package.json': JSON.stringify(one),
    'packages/a/index.js': 'module.exports = " of a";\n',
    'packages/b/package.json': JSON.stringify(two),
    'package-lock.json': JSON.stringify({
      ...{ name: 'root', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages,
    }),
  };
}

function npmProject(registry: TestRegistry & { readonly integrity: string }, more: object = {}) {
  const root = { name: 'a', version: '1.0.0', dependencies: { greeting: '1.0.0' } };
  const resolved = `${registry.url}/npm/greeting/-/greeting-1.0.0.tgz`;
  const greeting = { version: '1.0.0', resolved, integrity: registry.integrity, ...more };
  const packages = { '': root, 'node_modules/greeting': greeting };
  return {
    'package.json': JSON.stringify(root),
    'package-lock.json': JSON.stringify({
      name: 'a',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages,
    }),
  };
}

test.run();
