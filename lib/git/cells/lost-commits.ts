import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree, LostCommit } from '../../domain/ports/git-cells.ts';
import { type GitAccess, onObjects, quarantineVariables, withVariables } from '../objects/git-access.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { agentTips } from './agent-refs.ts';
import { hasLoose, refuseOddEntries, verifyObjects } from './verify-objects.ts';
import { onVerified, pathsOf, readCellHead } from './view.ts';

/** The latest of them; who leaves more has the rest in its worktree. */
const mostLost = 20;

/**
 * Commits of an agent that its HEAD, a branch, the stash or their logs named, and that its HEAD does not hold: it left them
 * again. Those that were written once more (amended, rebased) don't count, nor those that a later one of them holds.
 */
export async function readLostCommits(access: GitAccess, cell: CellWorktree): Promise<readonly LostCommit[]> {
  const { agentGitDir, objectDir, intake } = pathsOf(access, cell);
  const head = await readCellHead(access, cell).catch(() => cell.start);
  const named = [...agentTips(agentGitDir)].filter((id) => id !== head && hasLoose(objectDir, id));
  if (named.length === 0) return [];
  refuseOddEntries(objectDir);
  const reads = withVariables(
    { ...onObjects(access), guard: access.guard },
    quarantineVariables(cell.quarantine),
  );
  const written = await describe(reads, [`${cell.start}..${head}`]);
  const known = new Set(written.map(({ words }) => words));
  const lost: LostCommit[] = [];
  for (const id of named.slice(-mostLost).reverse()) {
    try {
      await verifyObjects(access, cell.quarantine, id);
      const verified = onVerified(access, intake);
      const holders = [head, ...lost.map(({ commit }) => commit)];
      const isHeld = await Promise.all(holders.map((holder) => isAncestor(verified, id, holder)));
      const [own] = await describe(verified, ['--no-walk', id]);
      if (own === undefined || isHeld.includes(true) || known.has(own.words)) continue;
      lost.push({ commit: id, subject: own.subject });
    } catch (error) {
      // An object that can't be read now is no commit, or not whole.
      if (!(error instanceof FlameError) || !error.code.startsWith('cell-')) throw error;
    }
  }
  return lost;
}

/** Describes a commit by what stays the same where it is written again: who made it when, and its message. */
async function describe(
  git: GitContext,
  revisions: readonly string[],
): Promise<readonly { readonly words: string; readonly subject: string }[]> {
  const args = ['log', '-z', '--format=%an%x00%ae%x00%at%x00%s', '--max-count=2000', ...revisions];
  const { stdout, exitCode } = await runGit(git, args, { accept: [0, 128] });
  const fields = exitCode === 0 ? stdout.toString().split('\0') : [];
  const found: { words: string; subject: string }[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4)
    found.push({ words: fields.slice(at, at + 4).join('\0'), subject: fields[at + 3] ?? '' });
  return found;
}

async function isAncestor(git: GitContext, one: ObjectId, other: ObjectId): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', one, other];
  return (await runGit(git, args, { accept: [0, 1, 128] })).exitCode === 0;
}
