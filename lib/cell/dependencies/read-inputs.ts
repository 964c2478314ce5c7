import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import { runGit } from '../../git/process/run-git.ts';
import type { RunnerContext } from '../runner-context.ts';
import { pinnedPythonFiles } from './python-requirements.ts';
import type { Install } from './recognise-install.ts';

/** Paths in the repository → bytes of the files, read as Latin-1, by which an install's outcome is known. */
export type Inputs = ReadonlyMap<string, string>;

interface Place {
  readonly path: string;
  readonly commit: ObjectId;
}

/**
 * What an install in a worktree reads, where each of these files is on disk what the commit has there and the commit
 * has all of them: what commands before it made of them, tracked or not, is looked at, not git's index. null: it is
 * not so, or they are no plain files, or their outcome depends on more than their bytes.
 */
export async function readInputs(
  context: RunnerContext,
  { path, commit }: Place,
  install: Install,
): Promise<Inputs | null> {
  const entries = await listCommitted(context, commit);
  if (entries === null) return null;
  const isNamed = nameTest(install);
  const wanted =
    install.requirements === undefined
      ? [...entries.keys()].filter(isNamed)
      : await pinnedPythonFiles(path, install.requirements);
  if (wanted === null) return null;
  const found = new Map<string, string>();
  for (const name of wanted.toSorted()) {
    const bytes = await readPlain(path, name);
    if (bytes === null || entries.get(name) !== blobEntry(bytes, commit)) return null;
    found.set(name, bytes.toString('latin1'));
  }
  const onDisk = install.requirements === undefined ? await listNamed(path, isNamed) : wanted;
  return onDisk.every((name) => found.has(name)) ? found : null;
}

/** Whether a commit has the same of what an install reads. */
export async function hasInputs(
  context: RunnerContext,
  commit: ObjectId,
  { install, inputs }: { readonly install: Install; readonly inputs: Inputs },
): Promise<boolean> {
  const entries = await listCommitted(context, commit);
  if (entries === null) return false;
  const named = install.requirements === undefined ? [...entries.keys()].filter(nameTest(install)) : [];
  return (
    named.every((name) => inputs.has(name)) &&
    [...inputs].every(([name, text]) => entries.get(name) === blobEntry(Buffer.from(text, 'latin1'), commit))
  );
}

/** Names are compared without regard to case: some file systems don't tell them apart. */
function nameTest({ from }: Install): (path: string) => boolean {
  const names = new Set(from);
  return (path) => {
    const parts = path.toLowerCase().split('/');
    return (
      !parts.includes('node_modules') &&
      (names.has(basename(path).toLowerCase()) || names.has(parts.slice(-2).join('/')))
    );
  };
}

/** Path → `<kind> <id>` of a commit's tree: files alone are `file`, links and submodules what git calls them. */
async function listCommitted(
  { env, repository }: RunnerContext,
  commit: ObjectId,
): Promise<ReadonlyMap<string, string> | null> {
  const { exitCode, stdout } = await runGit(
    { cwd: repository.commonDir, env },
    ['ls-tree', '-r', '-z', '--full-tree', commit],
    { accept: [0, 128] },
  );
  if (exitCode !== 0) return null;
  const entries = stdout
    .toString()
    .split('\0')
    .flatMap((entry) => {
      const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      return path === '' ? [] : [[path, `${mode.startsWith('100') ? 'file' : mode} ${id}`] as const];
    });
  return new Map(entries);
}

/** As listCommitted says it of a file with these bytes. */
function blobEntry(bytes: Buffer, commit: ObjectId): string {
  const hash = createHash(commit.length === 64 ? 'sha256' : 'sha1');
  return `file ${hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')}`;
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

/** Whatever has such a name below a worktree, links and folders too. */
async function listNamed(root: string, isNamed: (path: string) => boolean): Promise<readonly string[]> {
  const found: string[] = [];
  for (const waiting = ['']; waiting.length > 0; ) {
    const batch = await Promise.all(
      waiting.splice(0, 64).map(async (at) => ({ at, entries: await entriesOf(join(root, at)) })),
    );
    for (const { at, entries } of batch) {
      for (const entry of entries) {
        if (entry.name === '.git' || entry.name === 'node_modules') continue;
        const path = join(at, entry.name);
        if (isNamed(path)) found.push(path);
        else if (entry.isDirectory()) waiting.push(path);
      }
    }
  }
  return found;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
