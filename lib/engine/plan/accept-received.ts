import { listAgentTextsInPlan, listAgentTextsInTask } from '../../core/admission/list-agent-texts.ts';
import {
  listDecisionsOfManualTask,
  toObjectiveDecision,
  toSessionStateDecision,
  toTaskPlanDecision,
  toTaskStateDecision,
} from '../../core/admission/make-decisions.ts';
import { sendPlanBack } from '../../core/changesets/reopen-session.ts';
import { describeTaskHead, pickTaskHead } from '../../core/merge/merge-task-notes.ts';
import { listChangedPlanKeys, pickTaskPlan } from '../../core/task/task-keys.ts';
import { dropTask } from '../../core/task/task-outcome.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import { type SessionId, taskBranch } from '../../domain/ids.ts';
import type { DecisionWithPlace, PlanDecision } from '../../domain/ports/gates.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitWorktrees, RefUpdate } from '../../domain/ports/git-port.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { addGateDecision } from '../agents/ask-person.ts';
import type { LockFactsReader } from '../lock-paths.ts';
import {
  describePlanProblem,
  estimatePlanCost,
  findAdaptersNotOffered,
  invalidPlanError,
  listProblemsBesideTasks,
  listUnreplaceableTaskIds,
  readPlanBoundsAtCommit,
} from '../plan-problems.ts';
import { type ChangesToRecord, decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { predictPlanOrder } from './predict-plan-order.ts';
import { makeTaskOfPlannedTask } from './turn-plan-into-tasks.ts';

/**
 * Asks the person about a session and tasks that came from another clone, as about any plan. Only what they
 * are shown counts from then on; what changes afterwards is asked about again. Throws FlameErrors
 * `not-accepted`, `bad-plan`, and what the gate throws where no person can be asked.
 */
export async function askToAcceptReceived(context: RunContext, id: SessionId): Promise<void> {
  const view = await viewSession(context, id);
  if (view.isOurs && view.received.length === 0) return;
  const decision = await ask(context, view);
  context.events.emit({ event: 'gate', gate: 'plan', decision: decision.kind });
  if (decision.kind === 'quit') throw notAcceptedError(view.session);
  const accept = (now: SessionView): ChangesToRecord | null => answer(context, { shown: view, now }, decision);
  const refs = decision.kind === 'approve' ? await branchesOf(context, view.received) : [];
  const done = await decideAndRecord(context, id, (now) => {
    const accepted = accept(now);
    return accepted === null ? null : { ...accepted, refs };
  });
  // A branch that another process moves meanwhile is left to that.
  if (done.kind === 'ref-moved') await decideAndRecord(context, id, accept);
}

/**
 * The branches of accepted work: made where missing, moved only forward and only where none is checked out.
 */
async function branchesOf(
  { git }: WithGit<GitCommits & GitWorktrees>,
  tasks: readonly Task[],
): Promise<readonly RefUpdate[]> {
  const updates = await Promise.all(
    tasks.map(async ({ session, id, status, commit }): Promise<readonly RefUpdate[]> => {
      const ref = taskBranch(session, id);
      if (status !== 'done' || commit === null || (await git.resolveCommit(commit)) === null) return [];
      const old = await git.resolveCommit(ref);
      const isFree =
        old === null ||
        ((await git.branchUses(ref.slice('refs/heads/'.length))).length === 0 && (await git.isAncestor(old, commit)));
      return isFree && old !== commit ? [{ ref, old, new: commit }] : [];
    }),
  );
  return updates.flat();
}

async function ask(
  context: Pick<RunContext, 'config' | 'gates' | 'decided'> & LockFactsReader,
  view: SessionView,
): Promise<DecisionWithPlace<PlanDecision>> {
  const { session, received } = view;
  const plan = { tasks: received.map(pickTaskPlan) };
  const bounds = await readPlanBoundsAtCommit(context, session.base_commit);
  const check = (other: Plan): ReturnType<typeof listProblemsBesideTasks> =>
    listProblemsBesideTasks(bounds, other, listUnreplaceableTaskIds(view.tasks));
  const problems = [...check(plan), ...findAdaptersNotOffered(context, session.id, plan)];
  const decision = await context.gates.plan({
    objective: session.objective,
    plan,
    ...predictPlanOrder(context, plan),
    estimate: estimatePlanCost(context, view.snapshot, plan.tasks),
    problems: problems.map(describePlanProblem),
    replansLeft: 1,
    quit: 'kept',
    received: describeReceivedParts(context, view),
    agentTexts: received.flatMap((task) => [
      ...listAgentTextsInPlan([pickTaskPlan(task)]),
      ...listAgentTextsInTask(task),
    ]),
    check,
  });
  if (decision.kind === 'approve' && problems.length > 0) throw invalidPlanError(problems);
  return decision;
}

/** Describes the parts of a session that were received and not approved here yet, a line each. */
export function describeReceivedParts(
  { decided }: Pick<RunContext, 'decided'>,
  { stored, isOurs, received }: Pick<SessionView, 'stored' | 'isOurs' | 'received'>,
): readonly string[] {
  return [
    ...(isOurs ? [] : [`${describeSession(stored)}${changes(decided.listChangedFacts(toObjectiveDecision(stored)))}`]),
    ...received.map((task) => `${describeTask(task)}${changes(decided.listChangedFacts(toTaskPlanDecision(task)))}`),
  ];
}

function describeSession(session: Session): string {
  const { id, created_by, cycle, wave } = session;
  const where = wave === 'plan' ? ', without a plan yet' : '';
  return `${id}, started by ${created_by}, which lands on ${findLandingBranch(session)}, in cycle ${cycle}${where}`;
}

function describeTask(task: Task): string {
  const { id, created_by, history, kept } = task;
  const tries = history.length === 0 ? '' : `, after ${formatCount(history.length, 'attempt')}`;
  const from = kept === undefined ? '' : `, which continues from ${shortId(kept.commit)}`;
  return `${id}, by ${created_by}, ${describeTaskHead(pickTaskHead(task))}${tries}${from}`;
}

/** null: nothing is known of it here; nothing changed: it asks for an adapter that isn't offered any more. */
function changes(names: readonly string[] | null): string {
  if (names === null) return '';
  return names.length === 0
    ? ': its text is as approved here, but another clone changed its state'
    : `: changed since it was approved here: ${names.join(', ')}`;
}

interface Answered {
  /** State the person was shown: their decision is about nothing else. */
  readonly shown: SessionView;
  readonly now: SessionView;
}

function answer(
  context: Pick<RunContext, 'gates' | 'now'>,
  { shown, now }: Answered,
  decision: DecisionWithPlace<PlanDecision>,
): ChangesToRecord | null {
  const gated = addGateDecision(now.session, { gate: 'plan', decision: decision.kind }, decision, context);
  const session = toObjectiveDecision(shown.stored);
  const by = context.gates.person;
  switch (decision.kind) {
    case 'approve':
      return {
        session: { next: gated, subject: `session: received tasks approved by ${by}` },
        accepted: [
          session,
          toSessionStateDecision(shown.stored),
          ...shown.received.flatMap((task) => [toTaskPlanDecision(task), toTaskStateDecision(task)]),
        ],
      };
    case 'replan': {
      const next = { ...sendPlanBack(gated, decision.notes), wave: 'plan' as const, replans: 0 };
      return {
        session: {
          next,
          subject: 'session: received tasks sent back to the planner',
        },
        accepted: [session, toSessionStateDecision(next)],
        body: decision.notes,
      };
    }
    case 'edit':
      return edit(context, { shown, now }, { plan: decision.plan, gated, session });
    case 'quit':
      return null;
  }
}

/** The plan as the person wrote it takes the place of what was received; what they left out is dropped. */
function edit(
  context: Pick<RunContext, 'gates' | 'now'>,
  { shown, now }: Answered,
  { plan, gated, session }: { readonly plan: Plan; readonly gated: Session; readonly session: LoggedDecision },
): ChangesToRecord {
  const at = timestamp(context);
  const before = new Map(shown.received.map((task) => [task.id, task]));
  const kept = plan.tasks.flatMap((planned) => {
    const task = before.get(planned.id);
    return task === undefined ? [] : [{ planned, task }];
  });
  const steps = kept
    .filter(({ planned, task }) => listChangedPlanKeys(pickTaskPlan(task), planned).length > 0)
    .map(({ planned, task }) => editStep(context, { ...task, ...planned }));
  const added = plan.tasks
    .filter(({ id }) => !before.has(id))
    .map((one) => makeTaskOfPlannedTask(context, now, one, at));
  const wanted = new Set<string>(plan.tasks.map(({ id }) => id));
  const left = now.received.filter(({ id, status }) => !wanted.has(id) && status !== 'claimed');
  const subject = `plan: received tasks changed by ${context.gates.person}`;
  return {
    ...(added.length === 0 ? {} : { newTasks: { tasks: added, subject } }),
    steps: [...steps, ...left.map((task) => dropTask(task, { reason: 'left out of the plan' }))],
    session: { next: gated, subject },
    accepted: [
      session,
      toSessionStateDecision(shown.stored),
      ...kept.flatMap(({ planned, task }) => listDecisionsOfManualTask({ ...task, ...planned })),
      ...added.flatMap(listDecisionsOfManualTask),
    ],
  };
}

function editStep(context: Pick<RunContext, 'gates'>, task: Task): TaskChange {
  const subject = `${task.id}: changed by ${context.gates.person}`;
  return { task, subject, transition: `${task.status} -> ${task.status}` };
}

/** A received session stays as it is: no work begins on it here. */
export function notAcceptedError({ id }: Pick<Session, 'id'>): FlameError {
  return refusedError('not-accepted', `You did not accept what was received of ${id}, so no work starts on it.`, [
    'git flame status',
    'git flame task drop TASK',
  ]);
}
