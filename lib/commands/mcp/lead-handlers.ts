import { leaveNote as leaveNoteFor } from '../../engine/blackboard/leave-note.ts';
import { completeSession, giveUpSession } from '../../engine/queen/hand-over.ts';
import { approveWork, dropWork, rejectWork } from '../../engine/queen/judge-work.ts';
import { assignTasks } from '../../engine/queen/lead-work.ts';
import { isLeftUnjudged } from '../../engine/queen/left-unjudged.ts';
import {
  planStanding,
  proposeTasks,
  proposeWithout,
  requireLeading,
} from '../../engine/queen/propose-tasks.ts';
import { unjudgedWay } from '../../engine/queen/refusals.ts';
import { type SessionView, viewSession } from '../../engine/record.ts';
import { askInForm } from './ask-in-form.ts';
import type { Acting, Desk } from './desk.ts';
import type { InputOf } from './inputs.ts';
import { nextStep, prospectOf } from './next-step.ts';
import type { CallContext, ToolAnswer } from './tool.ts';

const mostNamed = 100;

export function createTasks(
  desk: Desk,
  { objective, tasks }: InputOf<'createTasks'>,
  call: CallContext,
): Promise<ToolAnswer<'create_tasks'>> {
  return desk.act(async (acting) => {
    const planned = tasks.map((task) => ({ ...task, model: null, adapter: null }));
    const session = await acting.openSession(objective ?? null, planned);
    const { changed } = await proposeTasks(acting.workshop, session, { tasks: planned, by: desk.by });
    return afterProposal(desk, acting, { session, changed, call });
  });
}

export function dropTasks(
  desk: Desk,
  { task_ids: ids, reason }: InputOf<'dropTasks'>,
  call: CallContext,
): Promise<ToolAnswer<'drop_tasks'>> {
  return desk.act(async (acting) => {
    const { workshop } = acting;
    const session = acting.requireSession();
    const { waiting } = await planStanding(workshop, session);
    if (waiting === null && workshop.config.queen.may_drop) {
      await dropWork(workshop, session, { ids, reason, by: desk.by });
      const next = stepAfter(await viewSession(workshop, session), desk);
      return { changed: ids, dropped: ids, plan: 'approved', next };
    }
    const { changed } = await proposeWithout(workshop, session, { ids, by: desk.by });
    return afterProposal(desk, acting, { session, changed, call });
  });
}

/** The person is asked where that can be done here; else the answer says what waits for whom. */
async function afterProposal(
  desk: Desk,
  { workshop }: Acting,
  {
    session,
    changed,
    call,
  }: {
    readonly session: Parameters<typeof planStanding>[1];
    readonly changed: readonly string[];
    readonly call: CallContext;
  },
): Promise<ToolAnswer<'create_tasks'>> {
  const before = await planStanding(workshop, session);
  if (before.waiting !== null && desk.askPlan !== null) await desk.askPlan(session);
  else if (before.waiting !== null) {
    const question = await askInForm(workshop, session, call);
    if (question !== null) return question;
  }
  const { waiting, isApproved } = await planStanding(workshop, session);
  return {
    changed,
    plan: waiting !== null ? 'waits for the lead' : isApproved ? 'approved' : 'not approved',
    ...(waiting !== null
      ? { waiting, next: 'The lead decides with: git flame plan. wait_for_workers tells when.' }
      : {
          next: isApproved
            ? stepAfter(await viewSession(workshop, session), desk)
            : 'get_status has what the lead said',
        }),
  };
}

/** What is left to do once a change of the plan holds. */
function stepAfter(view: SessionView, desk: Desk): string {
  const isOpen = view.tasks.some(({ status }) => status === 'pending' || status === 'requeued');
  return !isOpen && prospectOf(view, desk) === 'news' ? 'wait_for_workers' : nextStep(view);
}

export function assignTask(
  desk: Desk,
  { task_ids }: InputOf<'assignTask'>,
): Promise<ToolAnswer<'assign_task'>> {
  return desk.act(async ({ workshop, requireSession }) => {
    const session = requireSession();
    const assigned = await assignTasks(workshop, session, task_ids ?? null);
    // What a run that was killed had taken in, and nobody has judged yet, waits for it too.
    const view = await viewSession(workshop, session);
    const unjudged = view.tasks.filter(({ status, result }) => status === 'done' && result.status === null);
    const left = unjudged.filter((task) => isLeftUnjudged(view, task));
    const isAny = assigned.length > 0 || unjudged.length > left.length;
    if (isAny) desk.startWork(session);
    return {
      assigned,
      ...(left.length === 0 ? {} : { validators_gave_no_verdict: left.map(({ id }) => id) }),
      next: isAny
        ? 'wait_for_workers'
        : left.length > 0
          ? unjudgedWay
          : 'None of them is pending: get_status',
    };
  });
}

export function approveTask(
  desk: Desk,
  { task_id, commit, feedback }: InputOf<'approveTask'>,
): Promise<ToolAnswer<'approve_task'>> {
  return desk.act(async ({ workshop, requireSession }) => {
    const judging = { task: task_id, commit, feedback, by: desk.by };
    const isNew = await approveWork(workshop, requireSession(), judging);
    return { approved: task_id, changed: isNew };
  });
}

export function rejectTask(
  desk: Desk,
  { task_id, commit, feedback }: InputOf<'rejectTask'>,
): Promise<ToolAnswer<'reject_task'>> {
  return desk.act(async ({ workshop, requireSession }) => {
    const judging = { task: task_id, commit, feedback, by: desk.by };
    const isNew = await rejectWork(workshop, requireSession(), judging);
    return { rejected: task_id, changed: isNew, next: 'assign_task starts the next attempt' };
  });
}

export function leaveNote(
  desk: Desk,
  { text, task_ids, paths }: InputOf<'leaveNote'>,
): Promise<ToolAnswer<'leave_note'>> {
  return desk.act(async ({ workshop, requireSession }) => {
    const said = { text, tasks: task_ids ?? [], paths: paths ?? [], by: desk.by, requireMay: requireLeading };
    const { note, isNew } = await leaveNoteFor(workshop, requireSession(), said);
    return { note: note.id, changed: isNew };
  });
}

export function complete(desk: Desk, { summary }: InputOf<'complete'>): Promise<ToolAnswer<'complete'>> {
  return desk.act(async ({ workshop, requireSession, locked }) => {
    const session = requireSession();
    const done = await locked(session, () => completeSession(workshop, session, { summary, by: desk.by }));
    if (done.conflicts > 0)
      return {
        ...done,
        next: 'Tasks conflicted and went back: get_status, assign_task, then complete again',
      };
    desk.end('completed');
    return { ...done, next: 'Nothing: the lead goes on with git flame review' };
  });
}

export function fail(desk: Desk, { reason }: InputOf<'fail'>): Promise<ToolAnswer<'fail'>> {
  return desk.act(async ({ workshop, requireSession }) => {
    const session = requireSession();
    const { isNew, view } = await giveUpSession(workshop, session, {
      ...{ reason, by: desk.by, isAppointed: desk.isAppointed },
    });
    desk.end('failed');
    const idsOf = (...statuses: readonly string[]) =>
      view.tasks.flatMap(({ id, status }) => (statuses.includes(status) ? [id] : [])).slice(0, mostNamed);
    return {
      stopped: session,
      changed: isNew,
      // Nothing new starts: what is begun is paid for, and kept like the rest.
      still_at_work: idsOf('claimed'),
      kept: {
        done: idsOf('done', 'merged'),
        failed: idsOf('failed', 'blocked'),
        not_done: idsOf('pending', 'requeued'),
      },
      for_lead: ['git flame run', 'git flame status'],
      next: 'Nothing: end, and tell the lead why. The session goes on from here with git flame run',
    };
  });
}
