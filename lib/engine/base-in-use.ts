import { FlameError, refusedError } from '../domain/flame-error.ts';
import type { BranchOperation, BranchUse, GitWorktrees } from '../domain/ports/git-port.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { type RunContext, type WithGit, warn } from './run-context.ts';

/**
 * Refuses to move a branch that git itself would not move now: one that is being rebased, bisected or merged into in
 * any worktree, or checked out in a folder that is gone. Resolves to the work trees that have it checked out. Throws
 * FlameError `base-in-use` or `worktree-gone`; nothing has happened then.
 */
export async function requireMovableBranch({ git }: WithGit<GitWorktrees>, branch: string): Promise<readonly string[]> {
  const uses = await git.branchUses(branch);
  for (const use of uses) {
    if (!use.isThere) throw gone(use, branch);
    if (use.operation !== null)
      throw unfinishedOperationError({ ...use, operation: use.operation }, branch, {
        so: 'so nothing was landed',
        again: 'git flame review',
      });
  }
  return uses.map(({ path }) => path);
}

/** The refusal of local changes in a work tree that a landing would touch. */
export function dirtyTreeError(message: string, dirty: readonly string[], hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'refused', code: 'dirty-tree', message, details: dirty.slice(0, 20), hints });
}

/** Commands of git that take local changes out of the way. */
export function listStashOrCommitCommands(path: string): readonly string[] {
  return ['stash', 'commit -a'].map((way) => `git -C ${shellQuote(path)} ${way}`);
}

/** Warns of operations that would block a landing; they may be over until then. Throws FlameError `worktree-gone`. */
export function warnIfBranchInOperation(
  { events }: Pick<RunContext, 'events'>,
  branch: string,
  uses: readonly BranchUse[],
): void {
  for (const { path, isThere, operation } of uses) {
    if (!isThere) throw gone({ path }, branch);
    if (operation === null) continue;
    const { words, ways } = describe(operation, branch);
    const message = `${words} in ${path}: nothing can land on ${branch} until you finish or abort that.`;
    warn(
      { events },
      message,
      ways.map((way) => `git -C ${shellQuote(path)} ${way}`),
    );
  }
}

/**
 * The refusal of what a merge or its like that has not ended stands in the way of, with what ends it: a stash or a
 * commit would lose that it was one, or record its conflicts.
 */
export function unfinishedOperationError(
  { path, operation }: Pick<BranchUse, 'path'> & { readonly operation: BranchOperation },
  branch: string,
  { so, again }: { readonly so: string; readonly again: string },
): FlameError {
  const { words, ways } = describe(operation, branch);
  return refusedError('base-in-use', `${words} in ${path}, ${so}.`, [
    ...ways.map((way) => `git -C ${shellQuote(path)} ${way}`),
    again,
  ]);
}

function gone({ path }: Pick<BranchUse, 'path'>, branch: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'worktree-gone',
    message: `${branch} is checked out in ${path}, but no work tree is there, so nothing can land on it.`,
    details: [
      'If you removed that folder, prune it. If you moved it, repair its path.',
      'If it is the git folder itself, with the work tree elsewhere: run this in the work tree, since git finds that only from inside.',
    ],
    hints: ['git worktree prune', 'git worktree repair <where it is now>'],
  });
}

/** Describes it in git's words, with the commands that end it. */
function describe(operation: BranchOperation, branch: string): { words: string; ways: readonly string[] } {
  const ways = operation === 'bisect' ? ['bisect reset'] : [`${operation} --continue`, `${operation} --abort`];
  return { words: wordsOf[operation](branch), ways };
}

const wordsOf: Readonly<Record<BranchOperation, (branch: string) => string>> = {
  rebase: (branch) => `You are currently rebasing ${branch}`,
  am: (branch) => `You are in the middle of an am session on ${branch}`,
  merge: (branch) => `You have not concluded your merge into ${branch}`,
  'cherry-pick': (branch) => `You are currently cherry-picking onto ${branch}`,
  revert: (branch) => `You are currently reverting on ${branch}`,
  bisect: (branch) => `You are currently bisecting, started from ${branch},`,
};
