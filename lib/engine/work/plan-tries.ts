import { fitAttempts } from '../../core/schedule/held-back.ts';
import { foundIn, leaveOut, notEnded } from '../../core/task/task-tries.ts';
import { roleAdapter, roleBudget, roleModel } from '../../domain/config/role-settings.ts';
import type { SessionId } from '../../domain/ids.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import type { Spending } from '../../domain/state/spending.ts';
import type { Task } from '../../domain/state/task.ts';
import { attemptsOf } from '../../domain/state/task-facts.ts';
import type { Try } from '../../domain/state/tries.ts';
import { formatCount } from '../../util/format-figures.ts';
import { watchBudget } from '../agents/session-budget.ts';
import { brokenRules } from '../judge/judge-task.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { workedBy } from './judge-tries.ts';

/** Each attempt that is asked for: as it ended before, or by whom it is made now, as far as the budget goes. */
export async function planTries(workshop: Workshop, task: Task): Promise<readonly Try[]> {
  const { config } = workshop;
  const tries: Try[] = [];
  for (const [at, one] of attemptsOf(task).entries()) {
    const known = task.tries?.[at];
    if (known !== undefined && known.ended !== null && (await isJudgedHere(workshop, task, known))) {
      tries.push(await withOwnVerdict(workshop, task, known));
      continue;
    }
    const adapter = roleAdapter(config, 'worker', one);
    const model = needsModel(workshop.adapter(adapter)) ? roleModel(config, 'worker', one) : null;
    tries.push({ agent_id: workshop.newAgentId('worker'), adapter, model, ...notEnded });
  }
  const paid = tries.filter(({ ended, model }) => ended === null && model !== null);
  const fitting = fitAttempts(paid.length, await roomFor(workshop, task.session));
  const left = new Set(paid.slice(fitting));
  if (left.size === 0) return tries;
  const message = `${task.id}: ${formatCount(paid.length, 'attempt')} don't fit in what is left of the session's budget with all that each may spend: ${fitting} ${fitting === 1 ? 'is' : 'are'} made.`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
  return tries.map((one) => (left.has(one) ? leaveOut(one, 'It does not fit in the budget.') : one));
}

async function roomFor(
  workshop: Workshop,
  id: SessionId,
): Promise<{ readonly left: number | null; readonly each: number }> {
  const { session } = await viewSession(workshop, id);
  const own = roleBudget(workshop.config, 'worker');
  const { limit, spent, unit } = watchBudget(workshop, session);
  const inUnit = (one: Spending): number => (unit === 'usd' ? one.cost_usd : one.tokens);
  const aside = (session.reservations ?? []).reduce((sum, one) => sum + inUnit(one), 0);
  return { left: limit === 0 || own.unit !== unit ? null : limit - spent - aside, each: own.limit };
}

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

/** Adds to an attempt the findings of those verdicts on its work that count here, and no others. */
export async function withOwnVerdict(workshop: Workshop, task: Task, one: Try): Promise<Try> {
  const { failing: _, verdict: __, ...rest } = one;
  if (one.work === undefined) return rest;
  const { snapshot } = await viewSession(workshop, task.session);
  const verdict = snapshot
    .verdictsOn(one.work.commit)
    .findLast((found) => found.session === task.session && found.task === task.id);
  return verdict === undefined ? rest : { ...rest, ...foundIn(verdict) };
}
