import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { shellGlobMatchesPath } from '../../util/path-globs.ts';
import { isFolder } from '../../util/read-file.ts';
import { isSameOrBelowFolder, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { type FileReadOnce, readFileOnce, readPrograms } from './read-file-once.ts';
import { listRecipeCommands, listRecipeFilesOfProgram, runsPackagePrograms } from './recipes.ts';
import { runsUnnamedProgram, unquoteWord } from './unnamed-programs.ts';

export interface CommandFilePlaces {
  /** The folder the command runs in, absolute: the top of the repository. */
  readonly root: string;
  /** PATH. */
  readonly searchPath: string;
}

// Entry files that an interpreter runs when it is given a folder.
const folderEntries = ['package.json', 'index.js', 'index.cjs', 'index.mjs', '__main__.py'];

// A module is named without these.
const endings = ['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts'];
const mostMatches = 2_000;

// A plain file that output goes to is written, not run.
const outputTarget = /(?:>>|>\|?|&>>?)[ \t]*[\w./-]+/;
const shellWord = /(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s;&|<>()`])+/s;
const wordPattern = new RegExp(`${outputTarget.source}|(${shellWord.source})`, 'gs');

/**
 * The repository's own files that a shell command names, read; rather one too many than one too few, with what its
 * recipes (package.json, Makefile …) name for it. Where it runs what no words name, all programs of the repository
 * count, as one file that is the top folder. What else such a file runs in its turn is not looked for.
 */
export function readFilesOfCommand(command: string, place: CommandFilePlaces): readonly FileReadOnce[] {
  const { files, isOpen } = readCommand(command, place, place.root);
  const found = new Map(files.map((file) => [file.path, file]));
  const all = isOpen ? [readPrograms(place.root)] : [];
  return [...all, ...found.values()].sort((a, b) => compareText(a.path, b.path));
}

interface Named {
  readonly files: readonly FileReadOnce[];
  /** Whether it runs what no words name. */
  readonly isOpen: boolean;
}

/** `folder` is where the recipe lies that it is of, `seen` the commands that led to it. */
function readCommand(command: string, place: CommandFilePlaces, folder: string, seen = new Set<string>()): Named {
  const words = wordsOf(command);
  const files = readFilesOfWords(folder === place.root ? words : [...words, folder], place);
  const isNamed = (word: string): boolean =>
    suffixesOf(word).some((suffix) => files.some(({ path }) => path.endsWith(`/${suffix}`)));
  seen.add(`${folder} ${command}`);
  const below = files
    .filter(({ path }) => words.some((word) => leadsTo(word, path)))
    .flatMap((file) => listRecipeCommands(file, words).map((text) => ({ text, inside: dirname(file.path) })))
    .filter(({ text, inside }) => !seen.has(`${inside} ${text}`))
    .map(({ text, inside }) => readCommand(text, place, inside, seen));
  return {
    files: [...files, ...below.flatMap((one) => one.files)],
    isOpen: runsUnnamedProgram(command, isNamed) || below.some((one) => one.isOpen),
  };
}

/**
 * Whether a program runs what a recipe says, rather than only having it as an argument; npx runs packages.
 */
function leadsTo(word: string, path: string): boolean {
  return basename(word) !== 'npx' && listRecipeFilesOfProgram(word).includes(basename(path));
}

/** Reads the repository's own files that a program and its arguments name. */
export function readFilesOfWords(words: readonly string[], place: CommandFilePlaces): readonly FileReadOnce[] {
  const read = words.flatMap((word) => readingsOf(word));
  const paths = [...read, ...read.flatMap((path) => matchesOf(path, place.root))];
  const folders = [
    place.root,
    ...paths.map((path) => resolve(place.root, path)).filter((path) => isOwn(path, place.root) && isFolder(path)),
  ];
  const packages = words.some(runsPackagePrograms) ? words.filter((word) => /^[\w.-]+$/.test(word)) : [];
  const named = [
    ...packages.flatMap((word) => folders.map((folder) => join(folder, 'node_modules/.bin', word))),
    ...paths
      .flatMap((path) => (isAbsolute(path) ? [path] : folders.map((folder) => join(folder, path))))
      .flatMap((path) => [path, ...endings.map((ending) => path + ending)]),
    ...folders.slice(1).flatMap((folder) => entriesOf(folder, words)),
    ...words.flatMap((word) => inSearchPath(word, place)),
    ...words.flatMap((word) =>
      listRecipeFilesOfProgram(word).flatMap((name) => folders.map((folder) => join(folder, name))),
    ),
  ];
  return [...new Set(named)]
    .filter((path) => isOwn(path, place.root))
    .map(readFileOnce)
    .filter((file) => file !== null)
    .sort((a, b) => compareText(a.path, b.path));
}

/** Entry files of a named folder, for the interpreter that runs it. */
function entriesOf(folder: string, words: readonly string[]): string[] {
  const isRun = (program: RegExp): boolean => words.some((word) => program.test(basename(word)));
  const names = [
    ...(isRun(/^(?:node|bun|deno|tsx|python[\d.]*)$/) ? folderEntries : []),
    ...(isRun(/^(?:go|run-parts)$/) ? readdirSync(folder) : []),
  ];
  return names.map((name) => join(folder, name));
}

/** Splits a shell command into words without quotes; a quoted command is split too. */
function wordsOf(command: string, depth = 0): string[] {
  const words = [...command.matchAll(wordPattern)].map(([, word = '']) => unquoteWord(word));
  const inner = depth > 3 ? [] : words.filter((word) => /[\s;&|<>()`]/.test(word) && word !== command);
  return [...words, ...inner.flatMap((word) => wordsOf(word, depth + 1))];
}

/** Paths that a word may mean. */
function readingsOf(word: string): readonly string[] {
  const parts = [word, ...word.split(/[=:,]/)];
  const afterVariables = /[$`]|^\//.test(word) ? suffixesOf(word) : [];
  const path = word.replaceAll('.', '/');
  // For python's `-m`: a package goes before the module of its name.
  const modules = /^\w+(?:\.\w+)*$/.test(word) ? [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`] : [];
  return [...new Set([...parts, ...afterVariables, ...modules])].filter((part) => part !== '' && !part.includes('\0'));
}

/** Files that a glob matches now; files it matches later are asked about then. */
function matchesOf(path: string, root: string): string[] {
  if (!/[*?[{]/.test(path)) return [];
  const expand = (folders: readonly string[], segment: string): string[] => {
    if (!/[*?[{]/.test(segment)) return folders.map((folder) => join(folder, segment));
    return folders.flatMap((folder) =>
      isFolder(join(root, folder))
        ? readdirSync(join(root, folder))
            .filter((name) => shellGlobMatchesPath(segment, name))
            .map((name) => join(folder, name))
        : [],
    );
  };
  if (isAbsolute(path)) return [];
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .reduce<string[]>((folders, segment) => expand(folders, segment).slice(0, mostMatches), ['.']);
}

/** After a variable, or a substitution that was cut off before it: `$ROOT/scripts/x.sh` may be any of `scripts/x.sh` and `x.sh` of the repository. */
function suffixesOf(word: string): string[] {
  const segments = word.split('/');
  return segments.slice(1).map((_segment, index) => segments.slice(index + 1).join('/'));
}

function inSearchPath(word: string, { root, searchPath }: CommandFilePlaces): string[] {
  if (word.includes('/') || word === '') return [];
  return searchPath
    .split(':')
    .map((folder) => join(resolve(root, folder), word))
    .filter((path) => existsSync(path));
}

/** True in the repository, by its name or its real path; git's own folder came with no clone. */
function isOwn(path: string, root: string): boolean {
  const [real, realRoot] = [realPathEvenIfMissing(path), realPathEvenIfMissing(root)];
  if (isSameOrBelowFolder(real, join(realRoot, '.git'))) return false;
  return isSameOrBelowFolder(resolve(path), root) || isSameOrBelowFolder(real, realRoot);
}
