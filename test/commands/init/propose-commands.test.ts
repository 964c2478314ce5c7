import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../../lib/cli/main.ts';
import { proposeProjectCommands } from '../../../lib/commands/init/propose-commands.ts';
import { parseConfig } from '../../../lib/config/load-config.ts';
import { programPath } from '../../../lib/util/child-programs.ts';
import { makeFakeIo } from '../../support/fake-io.ts';
import { flame } from '../../support/flame.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';

/** On a machine that has every program, or all but some. */
function propose(
  contents: Readonly<Record<string, string>>,
  locks: readonly string[] = [],
  without: readonly string[] = [],
) {
  const has = (program: string): boolean => !without.includes(program);
  const names = new Set([...Object.keys(contents), ...locks]);
  return proposeProjectCommands({ names, textOf: (name) => contents[name] ?? '', has });
}

const scripts = (own: Readonly<Record<string, unknown>>): string => JSON.stringify({ scripts: own });

for (const [title, contents, locks, expected] of [
  [
    'scripts of npm',
    { 'package.json': scripts({ lint: 'x', test: 'y', evil: 'z' }) },
    [],
    [['npm test', 'npm run lint'], ['npm test']],
  ],
  [
    'those of pnpm',
    { 'package.json': scripts({ test: 'y', build: 'z' }) },
    ['pnpm-lock.yaml'],
    [['pnpm test', 'pnpm run build'], ['pnpm test']],
  ],
  [
    'those of bun, whose own test is another',
    { 'package.json': scripts({ test: 'y' }) },
    ['bun.lock'],
    [['bun run test'], ['bun run test']],
  ],
  [
    'no test that npm init made up',
    { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1', build: 'b' }) },
    [],
    [['npm run build'], []],
  ],
  [
    'cargo',
    { 'Cargo.toml': '' },
    [],
    [['cargo test', 'cargo build', 'cargo check', 'cargo clippy', 'cargo fmt'], ['cargo test']],
  ],
  ['go', { 'go.mod': 'module x' }, [], [['go test', 'go build', 'go vet', 'gofmt'], ['go test ./...']]],
  [
    'pytest and ruff by uv',
    { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]' },
    ['uv.lock'],
    [['uv run pytest', 'uv run ruff'], ['uv run pytest']],
  ],
  ['pytest alone', { 'pyproject.toml': 'dependencies = ["pytest"]' }, [], [['python -m pytest'], ['python -m pytest']]],
  [
    'pytest of a project that is tested by tox',
    { 'pyproject.toml': '[build-system]', 'tox.ini': '[testenv]\ncommands = pytest {posargs}' },
    [],
    [['python -m pytest'], ['python -m pytest']],
  ],
  [
    'tests of the standard library',
    { 'setup.py': 'setup()' },
    ['tests'],
    [['python -m unittest'], ['python -m unittest']],
  ],
  [
    'cmake with tests',
    { 'CMakeLists.txt': 'project(x C)\nenable_testing()\n' },
    [],
    [['cmake', 'ctest'], ['cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure']],
  ],
  [
    'cmake without',
    { 'CMakeLists.txt': 'project(x C)\n' },
    [],
    [['cmake'], ['cmake -S . -B build && cmake --build build']],
  ],
  ['the wrapper of gradle', { 'build.gradle.kts': '' }, ['gradlew'], [['./gradlew test'], ['./gradlew test']]],
  ['gradle', { 'build.gradle': '' }, [], [['gradle test'], ['gradle test']]],
  ['maven', { 'pom.xml': '' }, [], [['mvn --batch-mode test'], ['mvn --batch-mode test']]],
  ['dotnet', { 'App.slnx': '' }, [], [['dotnet test', 'dotnet build'], ['dotnet test']]],
  ['check where make has no test', { Makefile: 'check: all\n' }, [], [['make check'], ['make check']]],
  ['targets of make, no variables', { Makefile: 'lint := x\ntest: all\n\tx\n' }, [], [['make test'], ['make test']]],
  [
    'make beside another: its tests once',
    { Makefile: 'test:\n', 'go.mod': '' },
    [],
    [['go test', 'go build', 'go vet', 'gofmt', 'make test'], ['go test ./...']],
  ],
] as const)
  test(`DSK-4 init proposes ${title}`, () => {
    const { allowed, tests } = propose(contents, locks) ?? { allowed: [], tests: [] };
    assert.equal([allowed, tests], expected);
  });

test('DSK-4 what brings the dependencies is proposed also where no lock file pins them, and leaves none', () => {
  const pack = (own: object): string => JSON.stringify({ scripts: { test: 'ava' }, ...own });
  const needs = { 'package.json': pack({ devDependencies: { ava: '^6' } }) };
  const command = 'npm install --no-package-lock';
  assert.is(propose(needs)?.install?.command, command);
  assert.is(propose(needs, ['package-lock.json'])?.install?.command, 'npm ci');
  assert.is(propose(needs, ['pnpm-lock.yaml'])?.install?.command, 'pnpm install --frozen-lockfile --ignore-scripts');
  assert.is(propose(needs, ['yarn.lock'])?.install?.command, 'yarn install --frozen-lockfile --ignore-scripts');
  assert.is(propose(needs, ['yarn.lock', '.yarnrc.yml'])?.install?.command, 'yarn install --immutable');
  assert.is(propose({ 'package.json': pack({}) })?.install, null);
});

const empty = { allowed: [], tests: [], missing: [], install: null };
const pyproject = { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]' };

for (const [title, contents, locks, without, expected] of [
  [
    'what the tools alone do where uv is missing',
    pyproject,
    ['uv.lock'],
    ['uv', 'python'],
    [
      ['python3 -m pytest', 'ruff'],
      ['python3 -m pytest'],
      { uv: ['uv run pytest', 'uv run ruff', 'uv sync --frozen'] },
    ],
  ],
  [
    'nothing where they are missing too',
    pyproject,
    ['poetry.lock'],
    ['poetry', 'pytest', 'ruff'],
    [[], [], { poetry: ['poetry run pytest', 'poetry run ruff', 'poetry install --no-interaction'] }],
  ],
  ['no pytest that is not there', pyproject, [], ['pytest'], [['ruff'], [], { pytest: ['python -m pytest'] }]],
  [
    'no clippy that cargo came without',
    { 'Cargo.toml': '' },
    ['Cargo.lock'],
    ['cargo-clippy'],
    [['cargo test', 'cargo build', 'cargo check', 'cargo fmt'], ['cargo test'], { 'cargo-clippy': ['cargo clippy'] }],
  ],
  [
    'no tests of a Makefile that calls what is missing',
    { 'go.mod': '', Makefile: 'test:\n' },
    ['go.sum'],
    ['go', 'gofmt'],
    [['make test'], [], { go: ['go test', 'go build', 'go vet', 'go mod download'], gofmt: ['gofmt'] }],
  ],
  [
    'no script by a runner that is missing',
    { 'package.json': scripts({ test: 'y', lint: 'x' }) },
    ['pnpm-lock.yaml'],
    ['pnpm'],
    [[], [], { pnpm: ['pnpm test', 'pnpm run lint', 'pnpm install --frozen-lockfile --ignore-scripts'] }],
  ],
] as const)
  test(`DSK-4 init proposes ${title}, and names what it leaves out`, () => {
    const { allowed, tests, missing, install } = propose(contents, locks, without) ?? empty;
    const lacking = Object.fromEntries(missing.map(({ program, commands }) => [program, commands]));
    assert.equal([allowed, tests, lacking], expected);
    assert.is(install?.command ?? null, title.includes('clippy') ? 'cargo fetch' : null);
  });

test('DSK-4 init says which program is missing, and writes no command that would fail', async () => {
  const repo = makeRepo();
  repo.write('pyproject.toml', pyproject['pyproject.toml']);
  repo.write('uv.lock', '');
  // git alone: what else this machine has is not found.
  const bin = makeTempDir();
  symlinkSync(programPath('git', process.env.PATH), join(bin, 'git'));
  const run = await flame(repo, ['init'], { env: { PATH: bin } });
  assert.is(run.code, 0, run.stderr);
  assert.match(
    run.stdout,
    /Found pyproject\.toml:\n +not proposed +uv run pytest, uv run ruff, uv sync --frozen: uv is not on your PATH\n/,
  );
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  assert.not.match(text, 'uv run');
  assert.match(text, '# permissions:', 'the keys to begin with are shown as where nothing was found');
  parseConfig(text, '.blueflame.yml');
});

test('DSK-4 what says nothing proposes nothing', () => {
  for (const contents of [
    {},
    { 'package.json': '{"scripts": 3}' },
    { 'package.json': 'not JSON' },
    { 'pyproject.toml': '' },
    { Makefile: '' },
  ])
    assert.is(propose(contents), null);
});

test('EGR-2 init shows, as a comment, what brings the dependencies that a lock file names, and nothing is reached by itself', async () => {
  const repo = makeRepo();
  repo.write('package.json', scripts({ test: 'node --test' }));
  const begun = (): string => readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  await flame(repo, ['init']);
  assert.not.match(begun(), /dependencies/);
  repo.write('package-lock.json', '{}');
  rmSync(join(repo.path, '.blueflame.yml'));
  await flame(repo, ['init']);
  assert.match(begun(), /^# {3}setup: \[npm ci\]$/m);
  const { config } = parseConfig(begun(), '.blueflame.yml');
  assert.equal([config.project.setup, config.sandbox.egress.setup], [[], []]);
  // As a person takes the comments away.
  const taken = begun()
    .replace(/^# {3}setup: (.*)$/m, '')
    .replace(/^project:$/m, 'project:\n  setup: [npm ci]')
    .replace(/^# sandbox:/m, 'sandbox:');
  const wanted = parseConfig(taken, '.blueflame.yml').config;
  assert.equal([wanted.project.setup, wanted.sandbox.egress.setup], [['npm ci'], ['npm']]);
});

test('DSK-4 init shows what it found before it writes, writes it in force, and keeps the built-in commands', async () => {
  const repo = makeRepo();
  repo.write('package.json', scripts({ test: 'node --test', lint: 'x' }));
  const dry = await flame(repo, ['init', '--dry-run']);
  assert.is(dry.code, 0, dry.stderr);
  assert.match(
    dry.stdout,
    /Found package\.json:\n +agents may run +npm test, npm run lint\n +checks of each task +npm test\n/,
  );
  const file = join(repo.path, '.blueflame.yml');
  assert.not(existsSync(file));
  const run = await flame(repo, ['init']);
  assert.is(run.code, 0, run.stderr);
  assert.ok(run.stdout.indexOf('Found package.json') < run.stdout.indexOf('Written:'));
  const { config } = parseConfig(readFileSync(file, 'utf8'), '.blueflame.yml');
  assert.equal(config.permissions.bash_rules.allowed_commands, [
    ...parseConfig('schema_version: 1\n', 'x').config.permissions.bash_rules.allowed_commands,
    ...['npm test', 'npm run lint'],
  ]);
  assert.equal(config.validation.validator_diagnostics.commands, ['npm test']);
  assert.is(
    config.validation.validator_diagnostics.timeout,
    parseConfig('schema_version: 1\nvalidation: { validator_diagnostics: { timeout: 600s } }\n', 'x').config.validation
      .validator_diagnostics.timeout,
  );
  // Nothing of it asks for another word of the person.
  const trust = await flame(repo, ['trust']);
  assert.is(trust.code, 0, trust.stderr);
  const again = await flame(repo, ['init']);
  assert.not.match(again.stdout, 'Found');
});

test('DSK-4 a person at a terminal is offered limits that builds and tests fit in, shown first and asked about once', async () => {
  const repo = makeRepo();
  repo.write('package.json', scripts({ test: 'node --test' }));
  const fake = makeFakeIo({ isTTY: true });
  const io = { ...fake.io, cwd: repo.path, env: repo.env };
  assert.is(await main(['init'], io), 0, fake.stderr());
  const shown = fake.stdout();
  const limits = /agent timeout +20m.*\n +validator budget +\$0\.50\n.*need your permission once/;
  assert.match(shown, limits);
  assert.ok(shown.search(limits) < shown.indexOf('Written:'));
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  const { config } = parseConfig(text, '.blueflame.yml');
  assert.equal([config.limits.agent_timeout, config.limits.token_budget.validator_usd], [1_200_000, 0.5]);
  const trust = await flame(repo, ['trust']);
  assert.is(trust.code, 2, 'without a terminal nobody answers');
  assert.match(trust.stdout + trust.stderr, 'limits.agent_timeout');
});

test.run();
