import { waitReasons } from '../../core/schedule/wait-reasons.ts';
import { oneLine } from '../../core/task/one-line.ts';
import { nextAttempt } from '../../core/task/task-history.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Task } from '../../domain/state/task.ts';
import { isApproved, isLeftUnjudged } from '../../engine/lead-agent/judge-work.ts';
import { unjudgedWay } from '../../engine/lead-agent/refusals.ts';
import type { SessionView } from '../../engine/record.ts';
import { formatCount } from '../../util/format-figures.ts';
import type { LeadSession } from './lead-session.ts';

/** A task in short, as lists have it. */
export function describeTask(view: SessionView, task: Task, limit: number) {
  const { id, title, status, commit, result, reason, dependencies, cohesion_group: group } = task;
  const waits = waitReasons(task, view.tasks, { limit, now: Date.now() });
  const unjudged = isLeftUnjudged(view, task) ? 'validators gave none' : 'not judged yet';
  return {
    id,
    title: oneLine(title, 100),
    status,
    group,
    ...(dependencies.length === 0 ? {} : { needs: dependencies }),
    ...(commit === null ? {} : { commit: commit.slice(0, 12) }),
    ...(status === 'done' ? { verdict: result.status ?? unjudged } : {}),
    ...(isApproved(view, task) ? { approved: true as const } : {}),
    ...(reason === null ? {} : { reason }),
    ...(task.history.length === 0 ? {} : { attempt: nextAttempt(task.history) - 1 }),
    ...(waits.length === 0 ? {} : { waits_for: waits.slice(0, 3) }),
  };
}

/** A task of the plan that is proposed, in short. */
export function describePlanned({ id, title, dependencies, file_locks }: PlannedTask) {
  const needs = dependencies.length === 0 ? {} : { needs: dependencies };
  return { id, title: oneLine(title, 100), ...needs, file_locks: file_locks.slice(0, 10) };
}

/** Lists decisions that only the person can make now, each with its command. */
export function waitsForLead(view: SessionView) {
  const { session, tasks } = view;
  const { proposal } = session;
  const failed = tasks.filter(({ status, result }) => status === 'done' && result.status === 'fail').length;
  const unjudged = tasks.filter((task) => isLeftUnjudged(view, task)).length;
  const sets = session.changesets.filter(({ state }) => state === 'waiting').length;
  const planned = proposal?.length ?? 0;
  const plan =
    planned === 0 ? 'the plan without what is not done' : `the plan of ${formatCount(planned, 'task')}`;
  const unless = 'unless you reject that';
  const all: readonly (readonly [boolean, string, string])[] = [
    [proposal !== null, plan, 'plan'],
    [sets > 0, `${formatCount(sets, 'changeset')} to review`, 'review'],
    [failed > 0, `${formatCount(failed, 'task')} whose validation failed, ${unless}`, 'validate'],
    [
      unjudged > 0,
      `${formatCount(unjudged, 'task')} on which validators gave no verdict, ${unless}`,
      'validate',
    ],
    [session.state === 'stopped', 'the session, which is stopped', 'run'],
  ];
  return all.flatMap(([waits, what, command]) =>
    waits ? [{ for: what, command: `git flame ${command}` }] : [],
  );
}

/** The possible result of a wait. */
export type Prospect = 'news' | 'word of the lead' | 'nothing';

/** Whether anything can change while a model that leads does nothing but wait. */
export function prospectOf(view: SessionView | null, { isWorking, host }: LeadSession): Prospect {
  if (view === null) return 'nothing';
  if (isWorking || view.tasks.some(({ status }) => status === 'claimed')) return 'news';
  // In a run the person is asked within the call that needs it.
  return host.askPlan === null && waitsForLead(view).length > 0 ? 'word of the lead' : 'nothing';
}

/** The next step where waiting brings nothing. */
export function nextStep(view: SessionView | null): string {
  if (view === null) return 'create_tasks with an objective begins a session';
  const { session, tasks } = view;
  const has = (...all: readonly string[]): boolean => tasks.some(({ status }) => all.includes(status));
  const done = tasks.filter(({ status }) => status === 'done');
  if (session.state !== 'active') return 'Nothing: end, and tell the lead how it stands';
  if (session.changesets.some(({ state }) => state === 'waiting' || state === 'approved'))
    return 'Nothing: the work is handed over. End, and tell the lead: git flame review';
  if (tasks.length === 0) return 'create_tasks';
  if (has('pending', 'requeued')) return 'assign_task';
  if (done.some(({ result }) => result.status === 'fail') || has('failed', 'blocked')) {
    const isUnread = done.some((task) => task.result.status === 'pass' && !isApproved(view, task));
    return `${isUnread ? 'get_task_output, then approve_task what passed; ' : ''}reject_task sends back what failed, drop_tasks takes it out of the plan; fail, if it is hopeless`;
  }
  if (done.some((task) => isLeftUnjudged(view, task))) return unjudgedWay;
  // Nothing works now: what was taken in before this model led is judged once work goes on.
  if (done.some(({ result }) => result.status === null))
    return 'assign_task has what is done judged; where that brings no verdict, reject_task, or end: the lead is asked';
  if (done.some((task) => !isApproved(view, task)))
    return 'get_task_output, then approve_task or reject_task';
  return done.length > 0 ? 'complete' : 'create_tasks for what is left to do, or end';
}

/** The next step after a change of the plan. */
export function stepAfter(view: SessionView, lead: LeadSession): string {
  const isOpen = view.tasks.some(({ status }) => status === 'pending' || status === 'requeued');
  return !isOpen && prospectOf(view, lead) === 'news' ? 'wait_for_workers' : nextStep(view);
}
