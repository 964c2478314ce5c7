// The program comes in few files, each a script of its own that V8 can keep compiled (lib/cli/pack-loader.ts): `look`
// holds what commands need that only look, `work` what most others need besides. What few need is alone.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const start = 'lib/cli/main.ts';
const packs = {
  core: [start, 'lib/commands/log.ts', 'lib/commands/open/git-color.ts'],
  look: [
    'lib/commands/open/read-config.ts',
    'lib/commands/show/show.ts',
    'lib/commands/status.ts',
    'lib/commands/task/claim-many.ts',
    'lib/commands/task/show.ts',
    'lib/core/blackboard/show-notes.ts',
    'lib/engine/by-hand/hand-task.ts',
    'lib/engine/radar/lookout.ts',
    'lib/store/shared/known-machines.ts',
    'lib/store/write/open-writer.ts',
  ],
  work: ['lib/commands/hook/hook.ts', 'lib/commands/run.ts', 'lib/commands/task/claim.ts'],
};

/**
 * Writes the packs to dist/ and their index, dist/packs.json: which pack holds which chunk. Returns the pack to begin
 * with, and the chunk in it.
 */
export async function buildPacks(common) {
  const chunks = await splitProgram(common);
  const packed = [...assignChunks(chunks)];
  const files = await Promise.all(
    packed.map(([name, members]) => writePack(common, { chunks, name, members })),
  );
  const index = packed.flatMap(([, members], at) => members.map((member) => [member, files[at]]));
  writeFileSync('dist/packs.json', JSON.stringify(Object.fromEntries(index)));
  return { file: files[0], chunk: chunkOf(chunks, start).name };
}

/** All of the program as chunks by name: what several commands share, and what each has for itself. */
async function splitProgram(common) {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: { cli: start },
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    minifySyntax: true,
    metafile: true,
    write: false,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return new Map(
    Object.entries(metafile.outputs).map(([path, { imports, entryPoint }]) => {
      const name = `./${basename(path)}`;
      const needs = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true);
      return [
        name,
        {
          name,
          entryPoint,
          text: texts.get(basename(path)),
          needs: needs.map(({ path }) => `./${basename(path)}`),
        },
      ];
    }),
  );
}

/** Which chunks each pack holds, the first pack that needs one. */
function assignChunks(chunks) {
  const assigned = new Map();
  const visit = (name, members) => {
    if (assigned.has(name)) return;
    assigned.set(name, members);
    members.push(name);
    for (const need of chunks.get(name).needs) visit(need, members);
  };
  const groups = Object.entries(packs).map(([pack, entries]) => {
    const members = [];
    for (const entry of entries) {
      visit(chunkOf(chunks, entry).name, members);
    }
    return [pack, members];
  });
  const alone = [...chunks.keys()]
    .filter((name) => !assigned.has(name))
    .map((name) => [basename(name, '.js'), [name]]);
  return new Map([...groups, ...alone]);
}

function chunkOf(chunks, file) {
  const chunk = [...chunks.values()].find(({ entryPoint }) => entryPoint === file);
  if (chunk === undefined) throw new Error(`${file} begins no chunk: see .ci/packs.mjs`);
  return chunk;
}

/** Returns the name of the file, which tells its content: what was compiled of another one never counts for it. */
async function writePack(common, { chunks, name, members }) {
  const rows = members.map((it) => `${JSON.stringify(it)}: () => require(${JSON.stringify(it)})`);
  const { outputFiles } = await build({
    ...common,
    stdin: { contents: `module.exports = {\n${rows.join(',\n')}\n};\n`, resolveDir: '.' },
    outfile: 'pack.cjs',
    format: 'cjs',
    write: false,
    // What stays of `import()` is node's own modules and other packs, which the loader's require gives.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__packUrl' },
    plugins: [{ name: 'chunks', setup: (build) => resolveChunks(build, chunks, new Set(members)) }],
  });
  const text = `(function (module, require, __packUrl) {\n${outputFiles[0].text}})\n`;
  const file = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.cjs`;
  writeFileSync(join('dist', file), text);
  return file;
}

function resolveChunks({ onResolve, onLoad }, chunks, members) {
  onResolve({ filter: /^\.\// }, ({ path }) =>
    members.has(path) ? { path, namespace: 'chunk' } : { path, external: true },
  );
  onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({
    contents: chunks.get(path).text,
    resolveDir: '.',
  }));
}
