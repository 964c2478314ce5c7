import type { PlanProblem } from '../../core/schedule/check-plan.ts';
import type { Detours, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Plan } from '../../domain/state/plan.ts';
import type { Session } from '../../domain/state/session.ts';
import { hasWildcard, lockParts } from '../../util/path-globs.ts';
import type { WithGit } from '../workshop.ts';

/** What is wrong with the locks of a plan on the base of its session; see detourProblems. */
export async function findDetours(
  { git }: WithGit<Pick<GitFiles, 'detours'>>,
  { base_commit }: Pick<Session, 'base_commit'>,
  plan: Plan,
): Promise<readonly PlanProblem[]> {
  return detourProblems(await git.detours(base_commit), plan);
}

/** The locks of a plan below which no agent could write; a lock that is exactly a link names the link itself. */
export function detourProblems(detours: Detours, { tasks }: Plan): readonly PlanProblem[] {
  if (detours.size === 0) return [];
  return tasks.flatMap(({ id, file_locks }) =>
    file_locks.flatMap((lock) => {
      const found = lockParts(lock)
        .map((part) => detourOf(detours, part))
        .find((one) => one !== null);
      return found == null ? [] : [{ task: id, message: `file lock ${lock} ${found}` }];
    }),
  );
}

function detourOf(detours: Detours, part: string): string | null {
  const names = part.split('/').filter((name) => name !== '.');
  for (let count = 1; count <= names.length; count += 1) {
    if (hasWildcard(names[count - 1] ?? '')) return null;
    const path = names.slice(0, count).join('/');
    const kind = detours.get(path);
    if (kind === 'submodule') return `is in the submodule ${path}, which no agent changes`;
    if (kind !== undefined && count < names.length)
      return `leads through the symbolic link ${path}: name the place it leads to`;
  }
  return null;
}
