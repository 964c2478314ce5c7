// `npm test`: brings what the tests need, builds, and runs them; words are passed on to test/run.ts.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringNeeds } from './needs.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
bringNeeds('test');
// They come while it is built.
const coming = process.env.FLAME_TEST_CLIS ?? bringTools();
run(['.ci/build.mjs', '--install', '--tests']);
const tools = await coming;
run(['build/test/run.js', '--checks', ...process.argv.slice(2)], {
  FLAME_TEST_CLIS: tools,
  FLAME_TEST_HOOK_TOOLS: process.env.FLAME_TEST_HOOK_TOOLS ?? tools,
});

function run(words, env = {}) {
  const { status } = spawnSync(process.execPath, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The agent CLIs, the hook managers that git hooks are chained with, the scenarios of the protocol of tools, and what
 * judges whether everybody can use a page, in a folder of their own that git ignores. Kimi and the scenarios need a newer
 * Node than the project does. Answers their node_modules; '' where they can't be had.
 */
async function bringTools() {
  const system = `${process.platform}-${process.arch}`;
  const clis = Object.values(JSON.parse(readFileSync('.ci/clis.json', 'utf8')));
  const specs = [
    'husky@9.1.7',
    'lefthook@2.2.2',
    'axe-core@4.14.1',
    '@modelcontextprotocol/conformance@0.2.0-alpha.12',
    `node-${system}@24.9.0`,
    ...clis.flatMap((spec) => spec.replaceAll('{system}', system).split(' ')),
  ];
  const folder = resolve('.tools');
  const [modules, whole] = [join(folder, 'node_modules'), join(folder, 'whole')];
  if (existsSync(whole) && readFileSync(whole, 'utf8') === specs.join(' ')) return modules;
  rmSync(folder, { recursive: true, force: true });
  process.stderr.write(`The agent CLIs and tools that are tested come to ${folder} ...\n`);
  mkdirSync(folder, { recursive: true });
  const npm = spawn(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      ...specs,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const status = await new Promise((resolve) => npm.on('error', () => resolve(1)).on('close', resolve));
  if (status !== 0) {
    process.stderr.write('They could not be installed: what needs them is skipped.\n');
    return '';
  }
  unpackCopilot(folder, system);
  writeFileSync(whole, specs.join(' '));
  return modules;
}

/** What it would unpack into each home, without network. It is no npm package of its own, and its agents are shown it. */
function unpackCopilot(folder, system) {
  const program = join(folder, 'node_modules', '@github', `copilot-${system}`, 'copilot');
  const settings = {
    PATH: process.env.PATH,
    HOME: folder,
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PKG_CACHE_HOME: join(folder, 'node_modules', '.copilot'),
  };
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  spawnSync('unshare', ['--map-root-user', '--net', 'env', '-i', ...words, program, '--version'], {
    stdio: 'ignore',
  });
}
