import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CommitSearch, CommitSearchLine, SymlinkAndSubmodulePaths } from '../../domain/ports/git-contents.ts';
import { splitFileNames } from '../../util/file-names.ts';
import { makeFolders } from '../../util/write-files.ts';
import { type GitContext, runGit, spawnGit } from '../process/run-git.ts';
import type { GitAccess } from './git-access.ts';

/** Tracked paths of a commit in git's order, at most `limit`; git is ended as soon as they are read. */
export async function listFiles(context: GitContext, commit: ObjectId, limit: number): Promise<readonly string[]> {
  const child = spawnGit(context, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]);
  child.stderr.resume();
  child.stdin.end();
  const paths: string[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    const parts = splitNul(Buffer.concat([rest, chunk]));
    rest = parts.rest;
    paths.push(...parts.whole);
    if (paths.length >= limit) break;
  }
  child.kill();
  return paths.slice(0, limit);
}

function splitNul(buffer: Buffer): { readonly whole: readonly string[]; readonly rest: Buffer<ArrayBuffer> } {
  const end = buffer.lastIndexOf(0);
  const whole = buffer.toString('utf8', 0, Math.max(0, end));
  return { whole: end < 0 ? [] : whole.split('\0'), rest: Buffer.from(buffer.subarray(end + 1)) };
}

/** See GitFiles.findPathsInCommit: read as plain names, in whichever Unicode form the commit has them. */
export async function findPathsInCommit(
  context: GitContext,
  commit: ObjectId,
  paths: readonly string[],
): Promise<readonly string[]> {
  const asked = new Set(paths.flatMap((path) => [path, path.normalize('NFD')]));
  // Each name apart: of a folder and what is in it, asked together, git names only the latter.
  const rows = await Promise.all(
    [...asked].map(async (path) => {
      const list = ['ls-tree', '-z', '--name-only', '--full-tree', commit, '--', path];
      return splitFileNames((await runGit(context, list)).stdout);
    }),
  );
  const found = new Set(rows.flat().map((path) => path.normalize('NFC')));
  return paths.filter((path) => found.has(path.normalize('NFC')));
}

/** A pattern can be made so that git takes for ever. */
const limits = { wallMs: 15_000, cpuSeconds: 15, memoryMb: 1_024 };
/** More than anybody reads. */
const mostBytes = 2_000_000;
/** The exit code of git where it found nothing. */
const nothingFound = 1;

/** Looks for a pattern in the text files of a commit; no more is read of the answer than its beginning. */
export async function searchCommit(
  context: GitContext,
  commit: ObjectId,
  { pattern, path, ignoresCase, mostOfFile }: Parameters<CommitSearch>[1],
): ReturnType<CommitSearch> {
  const args = ['grep', '-z', '-n', '-I', '-E', '--no-color', '--no-column', '--full-name', '--no-textconv'];
  const options = [...(ignoresCase ? ['-i'] : []), `--max-count=${mostOfFile}`, '-f', '-', commit];
  const guarded = { ...context, guard: { limits } };
  const place = path === '' ? [] : ['--', path];
  const child = spawnGit(guarded, [...args, ...options, ...place], { GIT_LITERAL_PATHSPECS: '1' });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(0, 2_000);
  });
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined);
  child.stdin.end(pattern);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of child.stdout) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) break;
  }
  child.kill();
  const [exitCode, signal]: [number | null, string | null] = await closed.then(([code, by]) => [code, by]);
  const isCut = length > mostBytes;
  if (!isCut && signal !== null) return { kind: 'too-long' };
  if (!isCut && exitCode !== 0 && exitCode !== nothingFound)
    return { kind: 'bad-pattern', message: said.trim().split('\n')[0] ?? '' };
  return { kind: 'found', lines: linesOf(Buffer.concat(chunks).toString(), commit), isCut };
}

/** `commit:path NUL line NUL text LF`; a last one that was cut off is left out. */
function linesOf(text: string, commit: ObjectId): readonly CommitSearchLine[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((row) => {
    const [name = '', line = '', ...rest] = row.split('\0');
    if (!name.startsWith(`${commit}:`) || !/^\d+$/.test(line)) return [];
    return [{ path: name.slice(commit.length + 1), line: Number(line), text: rest.join('\0') }];
  });
}

/**
 * Writes the files of a commit into a folder that is absent or empty; no filter of the repository runs. Throws
 * FlameError `folder-not-empty`.
 */
export async function exportCommit(access: GitAccess, commit: ObjectId, folder: string): Promise<void> {
  makeFolders(folder);
  if (readdirSync(folder).length > 0) throw notEmpty(folder);
  const index = join(access.repository.commonDir, 'blueflame', `export-${process.pid}.index`);
  mkdirSync(join(access.repository.commonDir, 'blueflame'), { recursive: true });
  const context = {
    cwd: folder,
    env: access.context.env,
    variables: {
      ...(await access.inertDrivers()),
      GIT_DIR: access.repository.commonDir,
      GIT_WORK_TREE: folder,
      GIT_INDEX_FILE: index,
    },
  };
  try {
    await runGit(context, ['read-tree', commit]);
    await runGit(context, ['checkout-index', '--all', '--quiet']);
  } finally {
    rmSync(index, { force: true });
  }
}

function notEmpty(folder: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'folder-not-empty',
    message: `${folder} is not empty, so nothing was written there.`,
    hints: ['git flame rescue restore NAME --to DIR'],
  });
}

const kinds: Readonly<Record<string, 'symbolic link' | 'submodule'>> = {
  '120000': 'symbolic link',
  '160000': 'submodule',
};

/** See GitFiles.linkedPaths. Submodules are those of the tree, whether or not .gitmodules lists them. */
export async function listSymlinksAndSubmodules(
  context: GitContext,
  commit: ObjectId,
): Promise<SymlinkAndSubmodulePaths> {
  const { stdout } = await runGit(context, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  const found = new Map<string, 'symbolic link' | 'submodule'>();
  for (const row of splitFileNames(stdout)) {
    const kind = kinds[row.slice(0, 6)];
    if (kind !== undefined) found.set(row.slice(row.indexOf('\t') + 1), kind);
  }
  return found;
}

/** Where submodules are among them. */
export function selectSubmodulePaths(detours: SymlinkAndSubmodulePaths): readonly string[] {
  return [...detours].filter(([, kind]) => kind === 'submodule').map(([path]) => path);
}
