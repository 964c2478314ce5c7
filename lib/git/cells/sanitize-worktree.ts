import { constants, type Dirent } from 'node:fs';
import { access, chmod, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckedWorkLimits } from '../../domain/config/checked-work-limits.ts';
import { dropSetIdBitsOfFile } from '../../util/drop-set-id.ts';
import { type GitRunLimits, requireNotStopped } from '../process/limit-git-runs.ts';
import { workTooLargeError } from './require-work-in-bounds.ts';

// Files of a work tree that git opens to read them. Opening a pipe waits for a writer who never comes.
const readByGit = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);
const patternFiles = new Set(['.gitignore', '.gitattributes']);

interface LookedOver {
  readonly bounds: CheckedWorkLimits;
  /** How many files the work tree has by the commit it stands on. */
  readonly known: number;
  readonly before: PatternFile['before'];
  readonly guard: Pick<GitRunLimits, 'stopped'>;
}

/**
 * Makes a work tree that an agent wrote fit to be read by git: pipes, sockets and devices under names that git
 * would open are removed, they hold nothing, folders that can't be read get their owner's rights back, and no file stays
 * setuid. Throws FlameError `cell-too-much` where it holds more than git could read in good time: files, folders in
 * folders, or new patterns that are matched for ever.
 */
export async function sanitizeWorktree(workTree: string, { bounds, known, before, guard }: LookedOver): Promise<void> {
  const most = bounds.entries + known;
  let [found, repositories] = [0, 0];
  const waiting = [{ path: workTree, depth: 0 }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    requireNotStopped(guard);
    await openFolder(folder.path);
    const entries = await listEntriesGitSees(folder.path);
    found += entries.length;
    if (found > most) throw workTooLargeError('files and folders or more', { found, most });
    const depth = folder.depth + 1;
    if (depth > bounds.depth + 1)
      throw workTooLargeError('folders in folders or more', { found: depth - 1, most: bounds.depth });
    if (folder.depth > 0 && entries.some(({ name }) => name === '.git')) repositories += 1;
    if (repositories > bounds.nested)
      throw workTooLargeError('repositories in it or more', { found: repositories, most: bounds.nested });
    for (const entry of entries) {
      const path = join(folder.path, entry.name);
      if (entry.isDirectory()) waiting.push({ path, depth });
      else if (isPipe(entry)) await rm(path, { force: true }).catch(() => undefined);
      else if (entry.isFile()) {
        // Where the program was killed together with the agent, nothing has done it yet.
        dropSetIdBitsOfFile(path);
        if (patternFiles.has(entry.name))
          await requireSimple({ workTree, where: path.slice(workTree.length + 1), bounds, before });
      }
    }
  }
}

function isPipe(entry: Dirent): boolean {
  return readByGit.has(entry.name) && !entry.isFile() && !entry.isSymbolicLink();
}

/** git passes over a folder it can't go into with a warning, and what is in it would be in no commit. */
async function openFolder(path: string): Promise<void> {
  await access(path, constants.R_OK | constants.X_OK).catch(() => chmod(path, 0o700).catch(() => undefined));
}

/** Nothing where it can't be read: git can't go there either. */
export async function listEntriesGitSees(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

interface PatternFile {
  readonly workTree: string;
  /** Its path below that. */
  readonly where: string;
  readonly bounds: CheckedWorkLimits;
  /** A file's content when the agent began, as Latin-1; null: none. These lines are not new work. */
  readonly before: (where: string) => Promise<string | null>;
}

/**
 * Throws FlameError `cell-too-much` for patterns that git takes exponentially long for: those with many `**` or `*`,
 * against paths that are deep or names that are long enough.
 */
async function requireSimple({ workTree, where, bounds, before }: PatternFile): Promise<void> {
  const text = await readStart(join(workTree, where), bounds.patternBytes + 1);
  const problem = problemOf(text, where, bounds);
  if (problem === null) return;
  const old = await before(where);
  const known = new Set(old?.split('\n') ?? []);
  const added = text.split('\n').filter((line) => !known.has(line));
  if (old?.startsWith(text)) return;
  const mine = text.length > bounds.patternBytes ? problem : problemOf(added.join('\n'), where, bounds);
  if (mine !== null) throw mine;
}

function problemOf(text: string, where: string, bounds: CheckedWorkLimits): Error | null {
  if (text.length > bounds.patternBytes)
    return workTooLargeError('bytes of patterns or more', {
      found: text.length,
      most: bounds.patternBytes,
      where,
    });
  for (const line of text.split('\n').filter((one) => !one.startsWith('#'))) {
    const wild = wildInNames(line);
    if (wild > bounds.patternWild)
      return workTooLargeError('times * inside the names of one pattern', {
        found: wild,
        most: bounds.patternWild,
        where,
      });
    const stars = line.split('**').length - 1;
    if (stars > bounds.patternStars)
      return workTooLargeError('times ** in one pattern', { found: stars, most: bounds.patternStars, where });
  }
  return null;
}

/**
 * How many runs of `*` are next to other letters: git tries each of them at every place of a name, times the
 * others.
 */
function wildInNames(line: string): number {
  const names = line.trim().split(/[/\s]/);
  return (
    names
      .filter((name) => !/^!?\*+$/.test(name))
      .join('/')
      .match(/\*+/g)?.length ?? 0
  );
}

async function readStart(path: string, length: number): Promise<string> {
  // The file may have become something else since it was listed.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return '';
  try {
    const size = Math.min(length, (await file.stat()).size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file.close();
  }
}
