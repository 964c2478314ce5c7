import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import { runGit } from '../../git/process/run-git.ts';
import { splitFileNames } from '../../util/file-names.ts';
import type { RunnerContext } from '../runner-context.ts';
import type { RecognisedInstall } from './recognise-install.ts';

/** Paths in the worktree → bytes of the files, read as Latin-1, by which an install's outcome is known. */
export type InstallInputFiles = ReadonlyMap<string, string>;

/**
 * Reads the files that an install in a worktree reads, as they are on disk, with the changes of earlier commands. null:
 * these are no plain files, or the outcome depends on more than their bytes.
 */
export async function readInstallInputFiles(
  root: string,
  install: RecognisedInstall,
): Promise<InstallInputFiles | null> {
  const names =
    install.requirements === undefined
      ? await listNamed(root, install)
      : await listPinnedRequirementFiles(root, install.requirements);
  const found = new Map<string, string>();
  for (const name of names?.toSorted() ?? []) {
    const bytes = await readPlain(root, name);
    if (bytes === null) return null;
    found.set(name, bytes.toString('latin1'));
  }
  return names === null ? null : found;
}

// Their commands run with an install, and read what is in the worktree.
const ownScripts = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

// Settings that run something of the worktree, or read files of it that are not in the list.
const ownMeans: readonly { readonly file: RegExp; readonly words: RegExp; readonly isScript?: true }[] = [
  { file: /package\.json$/, words: new RegExp(`"(?:${ownScripts.join('|')})"\\s*:`), isScript: true },
  { file: /package\.json$/, words: /"(?:file|link|portal|patch):|"patchedDependencies"\s*:/ },
  { file: /pnpm-workspace\.yaml$/, words: /\b(?:file|link):|patchedDependencies|configDependencies/ },
  // They are programs themselves, or name one.
  { file: /\.pnpmfile\.[cm]js$/, words: /^/ },
  { file: /\.yarnrc(?:\.yml)?$/, words: /^/ },
  // npm makes the programs of workspaces executable.
  { file: /\/package\.json$/, words: /"bin"\s*:/ },
  {
    file: /(?:package-lock|npm-shrinkwrap)\.json$/,
    words: /"(?:resolved|version)"\s*:\s*"(?:file:|\.)/,
  },
  {
    file: /\.npmrc$/,
    words: /(?:shell|node.options|git|prefix|config|cache|onload.script|install.links)\s*=/i,
  },
  { file: /binding\.gyp$/, words: /^/ },
  { file: /\.cargo\/config(?:\.toml)?$/, words: /credential|rustc|wrapper|include/ },
  { file: /rust-toolchain(?:\.toml)?$/, words: /\bpath\b/ },
];

/**
 * Reads inputs as readInstallInputFiles does; null also where the outcome depends on more, such as scripts of the
 * project.
 */
export async function readDecidingInstallInputs(
  root: string,
  install: RecognisedInstall,
): Promise<InstallInputFiles | null> {
  const inputs = await readInstallInputFiles(root, install);
  const meansTheTree = [...(inputs ?? [])].some(([path, text]) =>
    ownMeans.some(
      ({ file, words, isScript }) =>
        (install.runsScripts || isScript !== true) && file.test(path.toLowerCase()) && words.test(text),
    ),
  );
  return meansTheTree ? null : inputs;
}

/** Whether a commit has the same inputs for an install. */
export async function commitHasInstallInputs(
  { env, repository }: Pick<RunnerContext, 'env' | 'repository'>,
  commit: ObjectId,
  { install, inputs }: { readonly install: RecognisedInstall; readonly inputs: InstallInputFiles },
): Promise<boolean> {
  const { exitCode, stdout } = await runGit(
    { cwd: repository.commonDir, env },
    ['ls-tree', '-r', '-z', '--full-tree', commit],
    { accept: [0, 128] },
  );
  const entries = splitFileNames(stdout).map((entry) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    return [path, mode.startsWith('100') ? id : ''] as const;
  });
  const ids = new Map(entries);
  const named = install.requirements === undefined ? [...ids.keys()].filter(nameTest(install)) : [];
  return (
    exitCode === 0 &&
    named.every((name) => inputs.has(name)) &&
    [...inputs].every(([name, text]) => ids.get(name) === blobId(Buffer.from(text, 'latin1'), commit))
  );
}

/** Names are compared without regard to case: some file systems don't distinguish it. */
function nameTest({ from }: RecognisedInstall): (path: string) => boolean {
  const names = new Set(from);
  return (path) => {
    const parts = path.toLowerCase().split('/');
    return (
      !parts.includes('node_modules') &&
      (names.has(basename(path).toLowerCase()) || names.has(parts.slice(-2).join('/')))
    );
  };
}

function blobId(bytes: Buffer, commit: ObjectId): string {
  const hash = createHash(commit.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The bytes of a file that no link leads to; null: there is none. */
async function readPlain(root: string, name: string): Promise<Buffer | null> {
  const path = join(root, name);
  const [stat, real, realRoot] = await Promise.all([
    lstat(path).catch(() => null),
    realpath(path).catch(() => null),
    realpath(root),
  ]);
  if (stat?.isFile() !== true || real !== join(realRoot, name)) return null;
  return readFile(path);
}

/**
 * All that has such a name below a worktree, links and folders too, but in the folder that the install fills: packages
 * there have such files of their own.
 */
async function listNamed(root: string, install: RecognisedInstall): Promise<readonly string[]> {
  const isNamed = nameTest(install);
  const own = 'variable' in install.makes ? install.makes.variable : install.makes.folder;
  const found: string[] = [];
  for (const waiting = ['']; waiting.length > 0; ) {
    const batch = await Promise.all(
      waiting.splice(0, 64).map(async (at) => {
        const entries = await readdir(join(root, at), { withFileTypes: true }).catch(() => []);
        return { at, entries };
      }),
    );
    for (const { at, entries } of batch) {
      for (const entry of entries) {
        if (entry.name === '.git' || entry.name === 'node_modules' || entry.name === own) continue;
        const path = join(at, entry.name);
        if (isNamed(path)) found.push(path);
        else if (entry.isDirectory()) waiting.push(path);
      }
    }
  }
  return found;
}

const version =
  '(?:\\d+!)?\\d+(?:\\.\\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|post|rev|r|dev)[-_.]?\\d*)*(?:\\+[a-z0-9]+)?';
// pip takes a name for a path where it has a slash, or ends as an archive does.
const pinned = new RegExp(
  `^[a-z0-9](?:[\\w.-]*[a-z0-9])?\\s*(?:\\[[\\w\\s,.-]*\\])?\\s*==\\s*${version}\\s*(?:;[\\w\\s.<>=!~'"(),-]*?)?(?:\\s+--hash[= ]\\w+:[0-9a-f]+)*$`,
  'i',
);
const another = /^(?:-r|-c|--requirement|--constraint)[ =]?\s*([\w./-]+\.txt)$/;

/**
 * The requirement files that pip reads from these on, by their paths in a worktree, where every line of them is
 * `name==version`, with extras, markers and hashes, or names another such file. null: one says more than that.
 */
export async function listPinnedRequirementFiles(
  root: string,
  first: readonly string[],
): Promise<readonly string[] | null> {
  const found = new Set<string>();
  for (const waiting = [...first.map((name) => normalize(name))]; waiting.length > 0; ) {
    const name = waiting.pop() ?? '';
    if (found.has(name)) continue;
    if (name.startsWith('/') || name.startsWith('..')) return null;
    found.add(name);
    const text = await readFile(join(root, name), 'utf8').catch(() => null);
    if (text === null) return null;
    for (const line of linesOf(text)) {
      const other = another.exec(line)?.[1];
      if (other !== undefined) waiting.push(normalize(other.startsWith('/') ? other : join(dirname(name), other)));
      else if (!pinned.test(line)) return null;
    }
  }
  return [...found];
}

/** Without comments and empty ones; one that ends in a backslash goes on. */
function linesOf(text: string): readonly string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n|\r/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
