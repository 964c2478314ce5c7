import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { replaceFile } from '../../util/write-files.ts';
import { copyToQuarantine } from '../cells/commit-leftovers.ts';
import { followAgent, forgetOwnIndex, pathsOf, setOwnHead } from '../cells/view.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';

const handedOver = ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE', 'ORIG_HEAD'];
const quietly = [
  '--no-commit',
  '--no-ff',
  '--no-stat',
  '--no-gpg-sign',
  '--no-verify-signatures',
  '--no-edit',
  '-q',
];

/**
 * Merges `commit` into a cell's worktree without committing: conflicted files hold markers, and the agent's
 * git knows of the merge. Returns the conflicted paths, sorted; none if it merged cleanly or had nothing to do.
 */
export async function startMerge(
  access: GitAccess,
  cell: CellWorktree,
  commit: ObjectId,
): Promise<readonly string[]> {
  const places = pathsOf(access, cell);
  const { head, git } = await followAgent(access, cell);
  forgetOwnIndex(places);
  setOwnHead(places, head);
  await runGit(git, ['merge', ...quietly, commit], { accept: [0, 1] });
  const { stdout } = await runGit(git, ['ls-files', '-z', '--unmerged']);
  await copyToQuarantine(places);
  for (const name of handedOver) handOver(places.ownGitDir, places.agentGitDir, name);
  replaceFile(join(places.agentGitDir, 'index'), readFileSync(join(places.ownGitDir, 'index')));
  writeFileSync(join(places.root, 'merging'), `${head}\n${commit}\n`);
  const paths = stdout
    .toString()
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
  return [...new Set(paths)].sort();
}

function handOver(from: string, to: string, name: string): void {
  const file = join(from, name);
  if (!existsSync(file)) return;
  replaceFile(join(to, name), readFileSync(file));
  rmSync(file);
}
