import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

// The code map of ARCHITECTURE.md: a folder may import itself and what stands beside it.
const allowed: Readonly<Record<string, readonly string[]>> = {
  util: [],
  domain: ['util'],
  core: ['domain', 'util'],
  policy: ['domain', 'util'],
  config: ['domain', 'util'],
  git: ['domain', 'util'],
  store: ['domain', 'core', 'git', 'util'],
  agents: ['domain', 'util'],
  cell: ['domain', 'policy', 'git', 'util'],
  engine: ['core', 'policy', 'domain', 'util'],
  trust: ['domain', 'config', 'git', 'util'],
  ui: ['domain', 'util'],
  commands: ['util', 'domain', 'core', 'policy', 'config', 'git', 'store', 'agents', 'cell', 'engine', 'trust', 'ui'],
  cli: ['commands', 'ui', 'domain', 'util'],
};
const effects =
  /^(?:node:)?(?:fs|fs\/promises|child_process|net|http|https|os|timers|timers\/promises)$|^(?:execa|simple-git|isomorphic-git|proper-lockfile)$/;
const pure = new Set(['core', 'policy', 'domain']);

interface Import {
  readonly from: string;
  readonly specifier: string;
}

const imports = listSources('lib').flatMap((file) => readImports(file, 'loaded'));
/** Those of types too, which are gone when the program runs. */
const named = listSources('lib').flatMap((file) => readImports(file, 'named'));

test('folders import only what their row allows', () => {
  const wrong = imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ from, specifier }) => ({ from, to: relative('lib', resolve(dirname(from), specifier)) }))
    .filter(({ from, to }) => {
      const [source = '', target = ''] = [folderOf(relative('lib', from)), folderOf(to)];
      return source !== target && !(allowed[source] ?? []).includes(target);
    })
    .map(({ from, to }) => `${from} imports lib/${to}`);
  assert.equal(wrong, []);
});

test('core, policy and domain have no effects', () => {
  const wrong = imports
    .filter(({ from, specifier }) => pure.has(folderOf(relative('lib', from))) && effects.test(specifier))
    .map(({ from, specifier }) => `${from} imports ${specifier}`);
  const impure = listSources('lib')
    .filter((file) => ['core', 'policy'].includes(folderOf(relative('lib', file))))
    .filter((file) =>
      /\bawait\s|Math\.random\(|Date\.now\(|new Date\(\)|process\./.test(stripComments(readFileSync(file, 'utf8'))),
    );
  assert.equal([...wrong, ...impure], []);
});

test('no file is longer than 300 lines', () => {
  const long = listSources('lib')
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300);
  assert.equal(long, []);
});

test('git is spawned in lib/git alone, state refs are written in lib/store alone', () => {
  const spawnsGit = listSources('lib')
    .filter((file) => !['git', 'store'].includes(folderOf(relative('lib', file))))
    .filter((file) => /(?:spawn|exec|execa|execFile)(?:Sync)?\(\s*['"]git['"]/.test(readFileSync(file, 'utf8')));
  const updatesRefs = listSources('lib')
    .filter((file) => !['store', 'git'].includes(folderOf(relative('lib', file))))
    .filter((file) => /['"]update-ref['"]/.test(readFileSync(file, 'utf8')));
  assert.equal([...spawnsGit, ...updatesRefs], []);
});

test('no file imports itself through others, for its types either', () => {
  assert.equal(findCycle(graphOf((file) => file)), []);
});

// A folder's rooms are its subfolders; a file beside them is a room of its own.
test('the rooms of a folder stand on floors: none imports itself through others', () => {
  assert.equal(findCycle(graphOf(roomOf)), []);
});

test('the code map names every room, and what each folder imports', () => {
  const missing = Object.keys(allowed).flatMap((folder) => {
    const part = partOf(folder);
    return readdirSync(join('lib', folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !part.includes(`\`${entry.name}/\``))
      .map((entry) => `lib/${folder}/${entry.name}`);
  });
  assert.equal(missing, []);
  const drawn = Object.keys(allowed).map((folder) => [
    folder,
    /Imports ([a-z(), ]+)\./.exec(partOf(folder))?.[1]?.replace(' (lazily)', ''),
  ]);
  assert.equal(
    drawn,
    Object.entries(allowed).map(([folder, others]) => [folder, others.join(', ') || 'nothing']),
  );
});

test('each file and room that the documents of the design name is there', () => {
  const words = designDocuments().flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/`([a-z]+\/[a-z/-]*[a-z])`/g),
  ]);
  const names = [...new Set(words.map(([, name = '']) => name))];
  const isThere = (name: string): boolean =>
    [name, `lib/${name}`].some((path) => [path, `${path}.ts`, `${path}.test.ts`].some(existsSync));
  assert.equal(
    names.filter((name) => !isThere(name)),
    [],
  );
  assert.ok(names.length > 130, `${names.length} are named`);
});

test('the file that the code map names of a room to open first is there', () => {
  const first = Object.keys(allowed).flatMap((folder) =>
    [...partOf(folder).matchAll(/\(`([a-z-]+)`\)/g)].map(([, name = '']) => ({ folder, name })),
  );
  assert.equal(
    first.filter(({ folder, name }) => !listSources(join('lib', folder)).some((path) => path.endsWith(`/${name}.ts`))),
    [],
  );
  assert.ok(first.length > 30, `${first.length} are named`);
});

/** What the code map has about a folder of `lib`. */
function partOf(folder: string): string {
  const map = readFileSync('ARCHITECTURE.md', 'utf8');
  return map.split(/^##/m).find((part) => part.startsWith(`# ${folder}\n`)) ?? '';
}

function designDocuments(): readonly string[] {
  const decisions = readdirSync('docs/decisions').map((name) => join('docs/decisions', name));
  return ['ARCHITECTURE.md', 'docs/where-a-change-begins.md', ...decisions];
}

function graphOf(place: (file: string) => string): Map<string, string[]> {
  const graph = new Map<string, Set<string>>();
  for (const { from, specifier } of named.filter(({ specifier }) => specifier.startsWith('.'))) {
    const [source, target] = [place(from), place(relative('.', resolve(dirname(from), specifier)))];
    if (source !== target || source === from) graph.set(source, (graph.get(source) ?? new Set()).add(target));
  }
  return new Map([...graph].map(([node, targets]) => [node, [...targets]]));
}

/** `lib/git/cells` for what lies there, `lib/git/open-git.ts` for that file. */
function roomOf(file: string): string {
  return file.split('/').slice(0, 3).join('/');
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listSources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function readImports(file: string, which: 'loaded' | 'named'): Import[] {
  const text = stripComments(readFileSync(file, 'utf8'));
  const pattern =
    which === 'named'
      ? /(?:^|\n)\s*(?:import|export)\s+[^'";]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g
      : /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^'";]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;
  const found = [...text.matchAll(pattern)];
  return found.map((match) => ({ from: file, specifier: match[1] ?? match[2] ?? '' }));
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function findCycle(graph: Map<string, string[]>): string[] {
  const finished = new Set<string>();
  const visit = (node: string, path: string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (finished.has(node)) return [];
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

test.run();
