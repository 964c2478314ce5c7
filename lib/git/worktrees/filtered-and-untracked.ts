import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import type { FilteredPath } from '../../domain/ports/git-contents.ts';
import { splitFileNames } from '../../util/file-names.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { readGitAttribute } from '../process/ignore-rules.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * Files of a commit that a configured filter turns into something else when they are checked out: what git-lfs and
 * git-crypt do. None where no filter is configured, which is asked first. By the attributes of that commit and of
 * the person; `paths` need not be in it.
 */
export async function listFilteredFiles(
  access: GitAccess,
  commit: ObjectId,
  paths?: readonly string[],
): Promise<readonly FilteredPath[]> {
  const names = await configuredFilters(access);
  if (names.size === 0 || paths?.length === 0) return [];
  const { commonDir } = access.repository;
  const folder = join(commonDir, 'blueflame');
  // One of its own for each question: several agents end at the same time.
  const index = join(folder, `filtered-${process.pid}-${randomUUID()}.index`);
  const context: GitContext = {
    cwd: commonDir,
    env: access.context.env,
    variables: { GIT_DIR: commonDir, GIT_INDEX_FILE: index },
  };
  mkdirSync(folder, { recursive: true });
  try {
    await runGit(context, ['read-tree', commit]);
    const list = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit];
    const all = paths ?? splitFileNames((await runGit(context, list)).stdout);
    const filters = await readGitAttribute(context, 'filter', { paths: all, options: ['--cached'] });
    return all.flatMap((path, index) => {
      const filter = filters[index] ?? '';
      return names.has(filter) ? [{ path, filter }] : [];
    });
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

/** Filters with a program, by the list of what is kept from running. */
async function configuredFilters(access: GitAccess): Promise<ReadonlySet<string>> {
  const keys = Object.entries(await access.inertDrivers()).flatMap(([name, key]) =>
    name.startsWith('GIT_CONFIG_KEY_') && key.startsWith('filter.') ? [key] : [],
  );
  return new Set(keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))));
}

/**
 * Lists untracked files where `from..to` adds a file: that path, or the file that a folder of it would replace.
 * read-tree itself spares untracked files, but would overwrite ignored ones.
 */
export async function listUntrackedFilesInTheWay(
  context: GitContext,
  from: ObjectId,
  to: ObjectId,
): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--diff-filter=AD', from, to, '--'];
  const { stdout } = await runGit(context, args);
  const tokens = stdout.toString().split('\0');
  const listed = (letter: string): string[] =>
    tokens.filter((_, index) => index % 2 === 1 && tokens[index - 1] === letter);
  const leaving = new Set(listed('D'));
  return [...new Set(listed('A').flatMap((path) => inTheWay(context.cwd, path, leaving) ?? []))];
}

function inTheWay(workTree: string, path: string, leaving: ReadonlySet<string>): string | null {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const there = lstatSync(join(workTree, part), { throwIfNoEntry: false });
    if (there === undefined) return null;
    if (!there.isDirectory()) return leaving.has(part) ? null : part;
  }
  return listFiles(workTree, path).some((file) => !leaving.has(file)) ? path : null;
}

function listFiles(workTree: string, folder: string): readonly string[] {
  return readdirSync(join(workTree, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(workTree, path) : [path];
  });
}

/** Paths of a work tree that git doesn't track, ignored ones too. A folder with nothing else in it ends in `/`. */
export async function listUntracked(context: GitContext): Promise<readonly string[]> {
  const { stdout } = await runGit(context, ['ls-files', '-z', '--others', '--directory']);
  return stdout
    .toString()
    .split('\0')
    .filter((path) => path !== '');
}
