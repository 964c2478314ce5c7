import { isApprovedByQueen } from '../../engine/queen/judge-work.ts';
import { isLeftUnjudged } from '../../engine/queen/left-unjudged.ts';
import { unjudgedWay } from '../../engine/queen/refusals.ts';
import type { SessionView } from '../../engine/record.ts';
import { waitsForLead } from './describe-task.ts';
import type { Desk } from './desk.ts';

/** What a wait can bring. */
export type Prospect = 'news' | 'word of the lead' | 'nothing';

/** Whether anything can change while a model that leads does nothing but wait. */
export function prospectOf(view: SessionView | null, desk: Pick<Desk, 'work' | 'askPlan'>): Prospect {
  if (view === null) return 'nothing';
  if (desk.work.isRunning || view.tasks.some(({ status }) => status === 'claimed')) return 'news';
  // Where the person sits before the run that she leads, they are asked within the call that needs it.
  return desk.askPlan === null && waitsForLead(view).length > 0 ? 'word of the lead' : 'nothing';
}

/** What can be done where nothing comes by itself. */
export function nextStep(view: SessionView | null): string {
  if (view === null) return 'create_tasks with an objective begins a session';
  const { session, tasks } = view;
  const has = (status: string): boolean => tasks.some((task) => task.status === status);
  const done = tasks.filter(({ status }) => status === 'done');
  if (session.state !== 'active') return 'Nothing: end, and tell the lead how it stands';
  if (session.changesets.some(({ state }) => state === 'waiting' || state === 'approved'))
    return 'Nothing: the work is handed over. End, and tell the lead: git flame review';
  if (tasks.length === 0) return 'create_tasks';
  if (has('pending') || has('requeued')) return 'assign_task';
  if (done.some(({ result }) => result.status === 'fail') || has('failed') || has('blocked')) {
    const isUnread = done.some((task) => task.result.status === 'pass' && !isApprovedByQueen(view, task));
    return `${isUnread ? 'get_task_output, then approve_task what passed; ' : ''}reject_task sends back what failed, drop_tasks takes it out of the plan; fail, if it is hopeless`;
  }
  if (done.some((task) => isLeftUnjudged(view, task))) return unjudgedWay;
  // Nothing works now: what was taken in before this model led is judged once work goes on.
  if (done.some(({ result }) => result.status === null))
    return 'assign_task has what is done judged; where that brings no verdict, reject_task, or end: the lead is asked';
  if (done.some((task) => !isApprovedByQueen(view, task)))
    return 'get_task_output, then approve_task or reject_task';
  return done.length > 0 ? 'complete' : 'create_tasks for what is left to do, or end';
}
