import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { CellWorktree, LeftoverInit } from '../../domain/ports/git-cells.ts';
import { killPoint } from '../../util/kill-point.ts';
import { replaceFile } from '../../util/write-files.ts';
import { commitTree } from '../objects/commit-tree.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { looseFile } from '../objects/read-loose.ts';
import type { CellPaths } from './paths.ts';
import { readRecord } from './record.ts';
import { stagePaths } from './stage-paths.ts';
import { followAgent, forgetOwnIndex, noteOwnIndex, pathsOf } from './view.ts';

/**
 * Commits the present content of these paths on top of the cell's HEAD, as `author`, committed by the person.
 * No hook, filter, file monitor or setting of the agent takes part. Returns the cell's new HEAD.
 */
export async function commitLeftovers(
  access: GitAccess,
  cell: CellWorktree,
  paths: readonly string[],
  { isOver, ...init }: LeftoverInit,
): Promise<ObjectId> {
  const places = pathsOf(access, cell);
  const { head, git } = await followAgent(access, cell);
  // After a kill from here on, the index would count as HEAD's own, and what is staged as no task's work.
  forgetOwnIndex(places);
  killPoint('leftovers to stage');
  const tree = await stagePaths(git, paths);
  killPoint('leftovers staged');
  const merging = takeMerging(places, head);
  const commit = await commitTree(access, git, { tree, parents: [head, ...merging], ...init });
  killPoint('leftovers committed');
  noteOwnIndex(places, commit, { made: { commit, over: isOver === true ? head : null } });
  killPoint('leftovers recorded');
  if (isOver === true) return commit;
  await showAgent(places, commit);
  killPoint('leftovers shown to the agent');
  return commit;
}

/** See GitPort.cellMade: read from where no agent can write. */
export function readMade(access: GitAccess, cell: CellWorktree): ObjectId | null {
  return readRecord(pathsOf(access, cell).root).made?.commit ?? null;
}

/** The commit a merge in this cell was started with, if HEAD has not moved since. */
function takeMerging({ root }: CellPaths, head: ObjectId): readonly ObjectId[] {
  const file = join(root, 'merging');
  if (!existsSync(file)) return [];
  const [at = '', merging = ''] = readFileSync(file, 'utf8').split('\n');
  rmSync(file);
  return at === head ? [parseObjectId(merging)] : [];
}

async function showAgent(places: CellPaths, head: ObjectId): Promise<void> {
  await copyToQuarantine(places);
  for (const name of ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE']) {
    rmSync(join(places.agentGitDir, name), { force: true, recursive: true });
  }
  replaceFile(join(places.agentGitDir, 'index'), readFileSync(join(places.ownGitDir, 'index')));
  replaceFile(join(places.agentGitDir, 'HEAD'), `${head}\n`);
}

/** Gives the agent's git the objects made for it; copies, since what it can write must not be shared. */
export async function copyToQuarantine({ intake, objectDir }: CellPaths): Promise<void> {
  const folders = readdirSync(intake).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) {
    // To have other threads copy a few small objects takes longer.
    await pause();
    mkdirSync(join(objectDir, folder), { recursive: true });
    for (const name of readdirSync(join(intake, folder))) {
      const target = looseFile(objectDir, `${folder}${name}`);
      if (/^[0-9a-f]+$/.test(name) && !existsSync(target)) copyFileSync(join(intake, folder, name), target);
    }
  }
}
