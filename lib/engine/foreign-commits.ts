import type { CommitInfo } from '../domain/git-port.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { Task } from '../domain/task.ts';
import type { Workshop } from './workshop.ts';

/** What the joining of a task's dependencies is called, see startPoint. */
export const joinSubject = (task: string): string => `Start of ${task}:`;

/**
 * Commits that merging a task would bring along although neither it nor a task of `group` made them: they were on
 * the base when it began and were taken off since, by a reset, an amend or a rebase. None where it began on what
 * `onto` holds.
 */
export async function foreignCommits(
  { git }: Pick<Workshop, 'git'>,
  { onto, group, task }: { readonly onto: ObjectId; readonly group: readonly Task[]; readonly task: Task },
): Promise<readonly CommitInfo[]> {
  const start = task.start_commit;
  if (start === null || start === onto || (await git.isAncestor(start, onto))) return [];
  const own = new Set<ObjectId>();
  for (const { start_commit: from, commit: to } of group) {
    if (from === null || to === null || to === task.commit) continue;
    for (const { oid } of await git.commitsBetween(from, to)) own.add(oid);
  }
  const brought = await git.commitsBetween(onto, start);
  return brought.filter(({ oid, message }) => !own.has(oid) && !isJoin(message, [...group, task]));
}

function isJoin(message: string, tasks: readonly Task[]): boolean {
  return tasks.some(({ id }) => message.startsWith(joinSubject(id)));
}
