import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import type { FilteredPath } from '../../domain/ports/git-contents.ts';
import { splitNames } from '../../util/file-names.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { readAttribute } from '../process/read-attribute.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * Files of a commit that a configured filter turns into something else when they are checked out: what git-lfs and
 * git-crypt do. None where no filter is configured, which is asked first. By the attributes of that commit and of
 * the person; `paths` need not be in it.
 */
export async function listFiltered(
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
    const all = paths ?? splitNames((await runGit(context, list)).stdout);
    const filters = await readAttribute(context, 'filter', { paths: all, options: ['--cached'] });
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
