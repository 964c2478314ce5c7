import type { ObjectId } from '../../domain/ids.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import { landsOn } from '../../domain/state/lands-on.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { joinSubject } from '../foreign-commits.ts';
import { replayOwn } from '../stack/replay-own.ts';
import { joinWork } from '../start-point.ts';
import { tellOnce } from '../tell-once.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/**
 * Where an attempt starts: at `base`, or with the work of an earlier attempt that a person kept rebased onto
 * it. Work that can't be rebased is reported and redone from the base; its branch still has it.
 */
export async function keptStart(
  workshop: Pick<Workshop, 'events' | 'run'> & WithGit<GitCommits & GitMerging>,
  session: Session,
  task: Task,
  base: ObjectId,
): Promise<ObjectId> {
  const { kept } = task;
  if (kept === undefined) return base;
  const branch = landsOn(session);
  const anew = (why: string): ObjectId => {
    const message = `${task.id} starts from ${branch}, not from the attempt that was kept: ${why}.`;
    tellOnce(workshop, message, { details: [`git flame show ${task.id}`] });
    return base;
  };
  if ((await workshop.git.resolveCommit(kept.commit)) === null)
    return anew('its commit is not in this clone');
  // What it began on may have been taken off the base since: only its own changes are brought along then.
  const isOnBase = await workshop.git.isAncestor(kept.start, base);
  const moved = isOnBase
    ? await joinWork(workshop, base, kept.commit, `${joinSubject(task.id)} its earlier attempt on ${branch}`)
    : await replayOwn(workshop.git, kept, base);
  if (moved.kind !== 'conflict') return moved.commit;
  return anew(`it conflicts with ${branch} in ${moved.paths.join(', ')}`);
}
