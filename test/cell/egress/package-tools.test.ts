import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandRun } from '../../../lib/domain/ports/agent-port.ts';
import { makeTempDir } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { type CellFixture, openCellFixture } from '../fixture.ts';
import {
  closeRegistries,
  makeWheel,
  startCrates,
  startGoProxy,
  startNpmRegistry,
  startPythonIndex,
  toolPath,
  works,
} from './registries.ts';

const hasPip = works('python3', ['-m', 'pip', '--version']);
const withPip = testIf(test, hasPip, 'python3 and its pip are missing');
const withCurl = testIf(test, works('curl', ['--version']), 'curl is missing');

test.after.each(closeRegistries);

test('EGR-2 npm ci gets what the lock file names, with the credential that only the gateway has', async () => {
  const registry = await startNpmRegistry();
  const host = registry.url.replace('http:', '');
  const fixture = await openProject({
    home: { '.npmrc': `registry=${registry.url}/npm/\n${host}/npm/:_authToken=secret-of-lena\n` },
    files: {
      'package.json': JSON.stringify({ name: 'a', version: '1.0.0', dependencies: { greeting: '1.0.0' } }),
      'package-lock.json': npmLock(`${registry.url}/npm/greeting/-/greeting-1.0.0.tgz`, registry.integrity),
    },
  });
  const run = await setUp(
    fixture,
    'npm ci --no-audit --no-fund && node -p "require(\'greeting\')"; (env; cat ~/.npmrc) | grep secret; true',
  );
  assert.is(run.exitCode, 0, run.output);
  assert.match(run.output, /hello from a package/);
  assert.not.match(run.output, /secret-of-lena/);
  assert.ok(registry.asked.length > 0);
  assert.ok(registry.asked.every(({ authorization }) => authorization === 'Bearer secret-of-lena'));
  assert.match(egressLog(fixture), /"phase":"setup","method":"GET","target":"localhost:\d+\/npm\/greeting/);
});

withCurl('EGR-1 without the list there is no way out, and the failure of what was refused names the key', async () => {
  const registry = await startNpmRegistry();
  const files = {
    'package.json': JSON.stringify({ name: 'a', version: '1.0.0', dependencies: { greeting: '1.0.0' } }),
    'package-lock.json': npmLock(`${registry.url}/npm/greeting/-/greeting-1.0.0.tgz`, registry.integrity),
  };
  const home = { '.npmrc': `registry=${registry.url}/npm/\n` };
  const closed = await openProject({
    home,
    files,
    egress: { work: ['from-config'], diagnostics: ['from-config'] },
  });
  assert.is.not((await setUp(closed, 'npm ci')).exitCode, 0);
  // Else npm alone asks again for two minutes where there is nobody to ask.
  const asksAgain = 'echo "$npm_config_fetch_retries,$PIP_RETRIES,$CARGO_NET_RETRY"';
  assert.is((await setUp(closed, asksAgain)).output.trim(), '0,1,0');
  const other = await openProject({ home, files, egress: { setup: ['packages.test'] } });
  const pip = await setUp(closed, 'python3 -m pip install no-such-package-here');
  assert.match(pip.output, /name resolution|NameResolution|Network is unreachable/i, 'it says why');
  assert.is((await setUp(other, asksAgain)).output.trim(), ',,');
  const run = await setUp(other, `curl -sS http://elsewhere.test/x; curl -sS https://elsewhere.test/; exit 1`);
  assert.match(run.output, /Not reached: elsewhere\.test:80 is not in sandbox\.egress\.setup of \.blueflame\.yml/);
  assert.match(run.output, /Not reached: elsewhere\.test:443 is not/);
  assert.equal(registry.asked, []);
});

withCurl('EGR-2 no tunnel is opened to a registry of the person: the gateway reads what goes there', async () => {
  const fixture = await openProject({
    home: { '.npmrc': 'registry=https://packages.test/npm/\n' },
    files: {},
  });
  const run = await setUp(fixture, 'curl -sS https://packages.test/npm/x; exit 1');
  assert.match(run.output, /Not reached: packages\.test:443 is not in sandbox\.egress\.setup/);
  const line = JSON.parse(egressLog(fixture).trim());
  assert.equal([line.method, line.target, line.status], ['CONNECT', 'packages.test:443', 403]);
});

for (const how of ['an index of files', 'a folder of wheels'])
  withPip(
    `EGR-2 pip install gets a package from ${how} on this machine that the person's pip is set up for`,
    async () => {
      const { folder, name } = makeWheel();
      const index = makeTempDir('index');
      write(index, {
        'simple/greeting/index.html': `<a href="../../files/${name}">${name}</a>`,
        'files/x': '',
      });
      copyFileSync(join(folder, name), join(index, 'files', name));
      const setting =
        how === 'an index of files' ? `index-url = file://${index}/simple` : `no-index = true\nfind-links = ${folder}`;
      const fixture = await openProject({
        home: { '.config/pip/pip.conf': `[global]\n${setting}\n` },
        files: {},
      });
      const noIndex = how === 'an index of files' ? '' : '--no-index';
      const run = await setUp(
        fixture,
        `python3 -m pip install ${noIndex} --disable-pip-version-check greeting --target lib-py; PYTHONPATH=lib-py python3 -c "import greeting; print(greeting.words)"; touch ${folder}/x ${index}/files/y`,
      );
      assert.match(run.output, /hello from a wheel/);
      assert.match(run.output, /Read-only file system/);
    },
  );

withPip('EGR-2 pip install gets a package from the index of the person', async () => {
  const registry = await startPythonIndex();
  const url = registry.url.replace('http://', 'http://lena:secret@');
  const fixture = await openProject({
    home: { '.config/pip/pip.conf': `[global]\nindex-url = ${url}/simple\n` },
    files: { 'requirements.txt': 'greeting==1.0.0\n' },
  });
  const run = await setUp(
    fixture,
    'python3 -m pip install --disable-pip-version-check -r requirements.txt --target lib-py; PYTHONPATH=lib-py python3 -c "import greeting; print(greeting.words)"; env | grep secret; true',
  );
  assert.match(run.output, /hello from a wheel/, run.output);
  assert.not.match(run.output, /secret/);
  assert.ok(registry.asked.length > 0);
});

if (works('cargo', ['--version']))
  test('EGR-2 cargo fetch gets a crate from the source of the person', async () => {
    const registry = await startCrates();
    const fixture = await openProject({
      home: {
        '.cargo/config.toml': `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+${registry.url}/index/"\n`,
      },
      files: {
        'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ngreeting = "1"\n',
        'src/main.rs': 'fn main() {}\n',
        'Cargo.lock': `version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\ndependencies = ["greeting"]\n\n[[package]]\nname = "greeting"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${registry.checksum}"\n`,
      },
    });
    const run = await setUp(fixture, 'cargo fetch --locked && find / -path "*greeting-1.0.0/src/lib.rs" 2>/dev/null');
    assert.match(run.output, /greeting-1\.0\.0\/src\/lib\.rs/, run.output);
  });

if (works('go', ['version']))
  test('EGR-2 go mod download gets a module from the proxy of the person', async () => {
    const registry = await startGoProxy();
    const fixture = await openProject({
      env: { GOPROXY: registry.url, GOSUMDB: 'off' },
      files: {
        'go.mod': 'module a\n\ngo 1.19\n\nrequire example.test/greeting v1.0.0\n',
        'main.go': 'package main\n\nimport "example.test/greeting"\n\nfunc main() { println(greeting.Words) }\n',
      },
    });
    const run = await setUp(fixture, 'go mod download example.test/greeting && ls "$(go env GOMODCACHE)/example.test"');
    assert.is(run.exitCode, 0, run.output);
    assert.match(run.output, /greeting@v1\.0\.0/);
  });

interface Project {
  readonly home?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly egress?: unknown;
}

/** A worktree with the files, and a person with such a home. */
async function openProject({ home = {}, env = {}, files, egress }: Project): Promise<CellFixture> {
  const person = makeTempDir('person');
  write(person, home);
  const fixture = await openCellFixture({
    env: { ...toolchains(), HOME: person, ...env },
    config: { sandbox: { egress: egress ?? { setup: ['from-config'] } } },
  });
  write(fixture.cell.path, files);
  return fixture;
}

/** rustup's programs need to know where its toolchains are once HOME is another. */
function toolchains(): Record<string, string> {
  const rustup = process.env.RUSTUP_HOME ?? join(process.env.HOME ?? '', '.rustup');
  return { PATH: toolPath(), ...(existsSync(rustup) ? { RUSTUP_HOME: rustup } : {}) };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function setUp({ runner, cell }: CellFixture, command: string): Promise<CommandRun> {
  return runner.runCommand({ command, phase: 'setup', worktree: cell, timeoutMs: 120_000, label: 'setup' });
}

function egressLog({ repo, cell }: CellFixture): string {
  return readFileSync(join(repo.path, `.git/blueflame/logs/${basename(cell.path)}.egress.jsonl`), 'utf8');
}

function npmLock(resolved: string, integrity: string): string {
  const root = { name: 'a', version: '1.0.0', dependencies: { greeting: '1.0.0' } };
  return JSON.stringify({
    ...{ name: 'a', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: { '': root, 'node_modules/greeting': { version: '1.0.0', resolved, integrity } },
  });
}

test.run();
