import { foundIn } from '../../core/task/task-tries.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Try } from '../../domain/state/tries.ts';
import { brokenRules } from '../judge/judge-task.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { workedBy } from './judge-tries.ts';

/**
 * Whether an attempt counts in this clone as its task's note says it ended. Work counts once the post-check has judged it
 * here, so what another clone wrote is judged like what it handed in; work that is not here can't be.
 */
export async function isJudgedHere(workshop: Workshop, task: Task, one: Try): Promise<boolean> {
  const worked = workedBy(task, one);
  if (worked === null) return true;
  const ends = [worked.commit, worked.start_commit, ...(one.work?.from === undefined ? [] : [one.work.from])];
  for (const commit of ends)
    if (commit === null || (await workshop.git.resolveCommit(commit)) === null) return false;
  return (await brokenRules(workshop, worked)).length === 0;
}

/** The same attempt with what was found about its work by the verdicts that count here, and by nothing else. */
export async function withOwnVerdict(workshop: Workshop, task: Task, one: Try): Promise<Try> {
  const { failing: _, verdict: __, ...rest } = one;
  if (one.work === undefined) return rest;
  const { snapshot } = await viewSession(workshop, task.session);
  const verdict = snapshot
    .verdictsOn(one.work.commit)
    .findLast((found) => found.session === task.session && found.task === task.id);
  return verdict === undefined ? rest : { ...rest, ...foundIn(verdict) };
}
