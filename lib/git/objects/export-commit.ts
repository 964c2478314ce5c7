import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { makeFolders } from '../../util/write-files.ts';
import { runGit } from '../process/run-git.ts';
import type { GitAccess } from './git-access.ts';

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
