// Builds dist/ (the program) and, with --tests, build/ (tests and benchmarks).
// --install first brings node_modules in line with package-lock.json.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
process.chdir(decodeURIComponent(root));

if (process.argv.includes('--install') && !isInstalled()) {
  // npm ci would empty the folder that a link leads to, which is somebody else's.
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error('node_modules is a link: run npm ci where it leads to, or remove the link.');

  process.stderr.write('Installing what the build needs ...\n');
  // Warnings would be of packages that the tests alone use (one asks for a newer node), or of npm's own settings.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
const { build } = await import('esbuild');
const { plainNotes } = await import('./plain-notes.mjs');
const version = JSON.parse(readFileSync('package.json', 'utf8')).version;
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  legalComments: 'none',
  define: { FLAME_VERSION: JSON.stringify(version) },
  plugins: [plainNotes()],
};
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
const script = { ...common, outdir: 'dist', format: 'cjs', minify: true, outExtension: { '.js': '.cjs' } };
const [{ metafile }] = await Promise.all([
  // The program is one script, which lib/cli/load-program.ts loads; its name tells its content.
  build({
    ...script,
    entryPoints: { program: 'lib/cli/main.ts' },
    entryNames: '[name]-[hash]',
    keepNames: true,
    supported: { 'dynamic-import': false },
    define: { ...common.define, 'import.meta.url': '__url' },
    banner: { js: '(function (module, require, __url) {' },
    footer: { js: '})' },
    metafile: true,
  }),
  // What runs inside an agent's cell, or in a thread of its own, is one self-contained file each.
  ...[...entriesIn('cell'), ...entriesIn('engine')].map(([name, file]) =>
    build({ ...script, entryPoints: { [name]: file } }),
  ),
]);
const [program] = Object.keys(metafile.outputs);
// The entry is CommonJS: an ES module entry starts a tenth slower.
await build({
  ...script,
  entryPoints: { main: 'lib/cli/entry.ts' },
  define: { ...common.define, FLAME_PROGRAM: JSON.stringify(basename(program)) },
  // All of it in this one file.
  supported: { 'dynamic-import': false },
});
// What runs in a browser: one script for each page.
await build({
  ...common,
  entryPoints: {
    'board-page': 'lib/ui/board/client/main.tsx',
    'review-page': 'lib/ui/review-page/client/main.tsx',
    'stats-page': 'lib/ui/stats/client/main.ts',
  },
  outdir: 'dist',
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
  minify: true,
});
buildWatcher();
if (process.argv.includes('--tests')) await buildTests();

async function buildTests() {
  rmSync('build/test', { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: listFiles('test').filter((file) => file.endsWith('.ts')),
    outdir: 'build/test',
    outbase: 'test',
    format: 'esm',
    splitting: true,
    packages: 'external',
    sourcemap: 'external',
    outExtension: { '.js': '.js' },
  });
  const { writeFileSync } = await import('node:fs');
  writeFileSync('build/package.json', '{ "type": "module" }\n');
}

/** Where there is no C compiler, the watcher's client in node serves. */
function buildWatcher() {
  const source = 'lib/cell/entry/watcher.c';
  const options = ['-O2', '-Wall', '-Wextra', '-Werror', '-o', 'dist/watcher', source];
  const compile = (...more) => spawnSync('cc', [...more, ...options], { encoding: 'utf8' });
  // Static, it starts twice as fast and runs with every C library; not every system has what that needs.
  const isStatic = process.platform === 'linux' && compile('-static', '-s').status === 0;
  const { error, status, stderr } = isStatic ? { status: 0 } : compile();
  if (error === undefined && status !== 0) process.stderr.write(`cc could not build ${source}:\n${stderr}`);
}

function entriesIn(folder) {
  return readdirSync(`lib/${folder}/entry`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file.slice(0, -3), `lib/${folder}/entry/${file}`]);
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function isInstalled() {
  const marker = 'node_modules/.package-lock.json';
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync('package-lock.json').mtimeMs;
}
