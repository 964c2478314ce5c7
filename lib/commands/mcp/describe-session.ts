import { listNotesOfAcceptedAttempt } from '../../core/blackboard/notes-for-task.ts';
import { breakDownSpending, computeBudgetState } from '../../core/schedule/budget-state.ts';
import { listWaitReasons } from '../../core/schedule/wait-reasons.ts';
import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import { nextAttemptNumber } from '../../core/task/task-history.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { noTaskError } from '../../domain/input-errors.ts';
import { type GuideChapterData, toGuideData } from '../../domain/questions/guide-summary.ts';
import { findVerdictOf, isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import { hasAcceptedWork, type Task } from '../../domain/state/task-schema.ts';
import { isApprovedByLeadAgent, isUnjudgedByValidators } from '../../engine/lead-agent/judge-tasks.ts';
import {
  leadToolError,
  noOpenSessionError,
  planNotApprovedError,
  unjudgedTaskHint,
} from '../../engine/lead-agent/lead-tool-errors.ts';
import type { SessionView } from '../../engine/record-changes.ts';
import { tryReadReadingGuide } from '../../engine/review/read-guide.ts';
import { readBaseTip } from '../../engine/start-point.ts';
import { findBaseBranch } from '../../engine/work/preflight.ts';
import { formatCount } from '../../util/format-figures.ts';
import type { LeadReadContext, LeadSession } from './lead-session.ts';
import type { ToolOutput } from './tool-outputs.ts';
import type { LeadToolInput } from './tool-table.ts';

const pageOfTasks = 50;
const pageOfText = 8_000;
const mostDiffBytes = 4_000_000;

/** A page of how a session stands. */
export function describeSessionForLead(
  config: Config,
  view: SessionView,
  { cursor, trouble }: { readonly cursor: number; readonly trouble: LeadSession['trouble'] },
): ToolOutput<'get_status'> {
  const { session, tasks, received } = view;
  const { id, objective, state, wave, cycle, proposal, replan_notes: notes } = session;
  const { unit, limit } = computeBudgetState(config, session);
  const after = cursor + pageOfTasks;
  const planned = proposal?.slice(cursor, after).map(describePlanned);
  return {
    session: {
      id,
      objective: toOneLine(objective, 500),
      state,
      wave,
      cycle,
      spent: { usd: Number(session.cost_usd.toFixed(4)), tokens: session.tokens },
      ...breakDownSpending(session),
      budget: limit === 0 ? 'unlimited' : { [unit]: limit },
    },
    waits_for_lead: listDecisionsForPerson(view),
    ...(planned === undefined ? {} : { proposed: planned, proposed_in_all: proposal?.length }),
    ...(notes === null || proposal !== null ? {} : { lead_said: boundText(notes, 2_000) }),
    tasks: tasks.slice(cursor, after).map((task) => summarizeTaskForLead(view, task, config.concurrency.development)),
    tasks_in_all: tasks.length,
    ...(received.length === 0 ? {} : { from_other_clones: received.length }),
    ...(trouble === null ? {} : { trouble }),
    next_cursor: after < Math.max(tasks.length, proposal?.length ?? 0) ? after : null,
  };
}

/** A page of what is known of a task. Throws FlameErrors `no-session`, `no-task`, `plan-not-approved`, `not-done`. */
export async function readTaskReportPage(
  { reading, view }: LeadReadContext,
  { task_id, part, offset }: LeadToolInput<'get_task_output'>,
): Promise<ToolOutput<'get_task_output'>> {
  const task = findTask(view, task_id);
  const guide = part === 'summary' ? await guideOf(reading, view, task) : {};
  const text = part === 'diff' ? await diffOf(reading, task) : json(partOf(view, task, part, guide));
  const end = offset + pageOfText;
  return {
    task_id: task.id,
    status: task.status,
    commit: task.commit,
    part,
    text: text.slice(offset, end),
    characters_in_all: text.length,
    next_offset: end < text.length ? end : null,
  };
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

async function diffOf({ git }: LeadReadContext['reading'], task: Task): Promise<string> {
  if (hasAcceptedWork(task)) return git.diffText(task.start_commit, task.commit, { maxBytes: mostDiffBytes });
  const next = 'get_task_output with part summary shows its state';
  const message = `${task.id} is ${task.status} and has no accepted work to show.`;
  throw leadToolError({ code: 'not-done', message, next });
}

interface TaskGuide {
  readonly guide?: readonly GuideChapterData[];
}

const mostGuided = 20;

/** The order its work is read in, why files changed and what deserves a second look. */
async function guideOf(context: LeadReadContext['reading'], view: SessionView | null, task: Task): Promise<TaskGuide> {
  if (!hasAcceptedWork(task)) return {};
  const diagnostics = findVerdictOf(task, view?.snapshot.verdictsOn(task.commit) ?? [])?.diagnostics ?? [];
  const changeset = { parent: task.start_commit, commit: task.commit, tasks: [task.id], diagnostics };
  const guided = await tryReadReadingGuide(context, { changeset, tasks: [task] });
  return guided === null ? {} : { guide: toGuideData(guided.guide, mostGuided) };
}

function partOf(
  view: SessionView | null,
  task: Task,
  part: 'summary' | 'checks' | 'plan',
  { guide }: TaskGuide,
): unknown {
  const { title, commit, history, result, reason } = task;
  if (part === 'plan') {
    const { description, acceptance_criteria, constraints, file_locks, dependencies } = task;
    return { title, description, acceptance_criteria, constraints, file_locks, dependencies };
  }
  const verdict = commit === null ? undefined : view?.snapshot.verdictsOn(commit).at(-1);
  if (part === 'checks') {
    const runs = verdict?.diagnostics ?? [];
    if (runs.length === 0) return 'No diagnostics were run on its current commit.';
    return runs.map(({ command, exit_code, timed_out, output }) => ({
      command,
      exit_code,
      timed_out,
      output,
    }));
  }
  const { status, notes, issues } = result;
  const attempts = history.map(({ attempt, result: end, notes: why, rejection_reason: rejected }) => ({
    attempt,
    result: end,
    notes: why,
    ...(rejected === null ? {} : { rejected }),
  }));
  const left = view === null ? [] : listNotesOfAcceptedAttempt(task, view.snapshot.blackboardOf(task.session));
  return {
    title,
    reason,
    verdict: status === null ? null : { status, notes, issues, by: verdict?.by },
    ...(left.length === 0 ? {} : { notes: left.map((note) => note.text) }),
    ...(guide === undefined ? {} : { guide }),
    attempts,
  };
}

/** Opens the files a tool reads: the accepted work of a task, else the base. */
export async function openTaskFilesReader({ host }: LeadSession, id: string | undefined) {
  const { reading, config, root, view } = await host.look();
  const { git } = reading;
  if (id !== undefined) return { git, config, commit: workOf(findTask(view, id)) };
  const base =
    view === null ? (await findBaseBranch({ config, root, git })).commit : readBaseTip({ git }, view.session);
  return { git, config, commit: await base };
}

function workOf({ id, commit, status }: Task): ObjectId {
  if (commit !== null) return commit;
  const message = `${id} is ${status} and has no accepted work yet.`;
  throw leadToolError({ code: 'not-done', message, next: 'Leave task_id out to see the base branch' });
}

function findTask(view: SessionView | null, id: string): Task {
  if (view === null) throw noOpenSessionError();
  const task = view.tasks.find((one) => one.id === id);
  if (task !== undefined) return task;
  throw view.session.proposal?.some((one) => one.id === id) === true
    ? planNotApprovedError()
    : noTaskError(id, view.tasks);
}

/** A task in short, as lists have it. */
export function summarizeTaskForLead(view: SessionView, task: Task, limit: number) {
  const { id, title, status, commit, result, reason, dependencies, cohesion_group: group } = task;
  const waits = listWaitReasons(task, view.tasks, { limit, now: Date.now() });
  const unjudged = isUnjudgedByValidators(view, task) ? 'validators gave none' : 'not judged yet';
  return {
    id,
    title: toOneLine(title, 100),
    status,
    group,
    ...(dependencies.length === 0 ? {} : { needs: dependencies }),
    ...(commit === null ? {} : { commit: commit.slice(0, 12) }),
    ...(status === 'done' ? { verdict: result.status ?? unjudged } : {}),
    ...(isApprovedByLeadAgent(view, task) ? { approved: true as const } : {}),
    ...(reason === null ? {} : { reason }),
    ...(task.history.length === 0 ? {} : { attempt: nextAttemptNumber(task.history) - 1 }),
    ...(waits.length === 0 ? {} : { waits_for: waits.slice(0, 3) }),
  };
}

/** A task of the plan that is proposed, in short. */
function describePlanned({ id, title, dependencies, file_locks }: PlannedTask) {
  const needs = dependencies.length === 0 ? {} : { needs: dependencies };
  return { id, title: toOneLine(title, 100), ...needs, file_locks: file_locks.slice(0, 10) };
}

/** Lists decisions that only the person can make now, each with its command. */
export function listDecisionsForPerson(view: SessionView) {
  const { session, tasks } = view;
  const { proposal } = session;
  const failed = tasks.filter(({ status, result }) => status === 'done' && result.status === 'fail').length;
  const unjudged = tasks.filter((task) => isUnjudgedByValidators(view, task)).length;
  const sets = session.changesets.filter(({ state }) => state === 'waiting').length;
  const planned = proposal?.length ?? 0;
  const plan = planned === 0 ? 'the plan without unfinished tasks' : `the plan of ${formatCount(planned, 'task')}`;
  const unless = 'unless you reject it';
  const all: readonly (readonly [boolean, string, string])[] = [
    [proposal !== null, plan, 'plan'],
    [sets > 0, `${formatCount(sets, 'changeset')} to review`, 'review'],
    [failed > 0, `${formatCount(failed, 'task')} whose validation failed, ${unless}`, 'validate'],
    [unjudged > 0, `${formatCount(unjudged, 'task')} on which validators gave no verdict, ${unless}`, 'validate'],
    [session.state === 'stopped', 'the session, which is stopped', 'run'],
  ];
  return all.flatMap(([waits, what, command]) => (waits ? [{ for: what, command: `git flame ${command}` }] : []));
}

/** The possible result of a wait. */
export type WaitOutcome = 'news' | 'word of the lead' | 'nothing';

/** Whether anything can change while a model that leads does nothing but wait. */
export function predictWaitOutcome(view: SessionView | null, { isWorking, host }: LeadSession): WaitOutcome {
  if (view === null) return 'nothing';
  if (isWorking || view.tasks.some(({ status }) => status === 'claimed')) return 'news';
  // In a run the person is asked within the call that needs it.
  return host.askPlan === null && listDecisionsForPerson(view).length > 0 ? 'word of the lead' : 'nothing';
}

/** The next step where waiting brings nothing. */
export function adviseLeadAgent(view: SessionView | null): string {
  if (view === null) return 'create_tasks with an objective starts a session';
  const { session, tasks } = view;
  const has = (...all: readonly string[]): boolean => tasks.some(({ status }) => all.includes(status));
  const done = tasks.filter(({ status }) => status === 'done');
  if (session.state !== 'active') return 'Nothing: end, and report the state to the lead';
  if (session.changesets.some(isChangesetOpen))
    return "Nothing: the work is handed over. End, and name the lead's next command: git flame review";
  if (tasks.length === 0) return 'create_tasks';
  if (has('pending', 'requeued')) return 'assign_task';
  if (done.some(({ result }) => result.status === 'fail') || has('failed', 'blocked')) {
    const isUnread = done.some((task) => task.result.status === 'pass' && !isApprovedByLeadAgent(view, task));
    return `${isUnread ? 'get_task_output, then approve_task what passed; ' : ''}reject_task sends back what failed, drop_tasks removes it from the plan; fail, if it is hopeless`;
  }
  if (done.some((task) => isUnjudgedByValidators(view, task))) return unjudgedTaskHint;
  // Nothing works now: what was taken in before this model led is judged once work goes on.
  if (done.some(({ result }) => result.status === null))
    return 'assign_task gets finished tasks judged; if that brings no verdict, reject_task, or end: the lead decides';
  if (done.some((task) => !isApprovedByLeadAgent(view, task)))
    return 'get_task_output, then approve_task or reject_task';
  return done.length > 0 ? 'complete' : 'create_tasks for what is left to do, or end';
}

/** The next step after a change of the plan. */
export function adviseAfterPlanChange(view: SessionView, lead: LeadSession): string {
  const isOpen = view.tasks.some(({ status }) => status === 'pending' || status === 'requeued');
  return !isOpen && predictWaitOutcome(view, lead) === 'news' ? 'wait_for_workers' : adviseLeadAgent(view);
}
