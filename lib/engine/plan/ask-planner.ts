import { listNotesOfAcceptedAttempt } from '../../core/blackboard/notes-for-task.ts';
import { boundText } from '../../core/task/bound-text.ts';
import { parsePlannerAnswer } from '../../domain/config/agent-answers.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import type { Failure } from '../../domain/failure.ts';
import { FlameError, type FlameErrorInit, refusedError } from '../../domain/flame-error.ts';
import type { AgentId, ObjectId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Plan, PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { runAgent } from '../agents/run-agent.ts';
import { type AgentJob, readReadme } from '../agents/start-agent-for-job.ts';
import { viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { recallForPlanner } from '../session/remember-session.ts';
import { readBaseTip } from '../start-point.ts';
import { workInScratchWorktree } from '../validate/run-diagnostics.ts';

type PlannerAnswer =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'unusable'; readonly problems: readonly string[] };

interface PlannerRequest {
  readonly session: Session;
  readonly tasks: readonly Task[];
  /** Why the last answer or plan was not taken. */
  readonly problems: readonly string[];
  readonly isInteractive: boolean;
}

const maxFiles = 400;
/** Characters of what became of one task, and of all. */
const maxResultLength = 600;
const maxResultsLength = 12_000;

/** Asks a planner for a plan, in a worktree it can only read. Throws FlameError `planner-failed` when it can't run. */
export async function askPlanner(context: RunContext, request: PlannerRequest): Promise<PlannerAnswer> {
  const { session, isInteractive } = request;
  if (!adapterTalksToModel(context.adapter(findRoleAdapter(context.config, 'planner')))) throw noPlanner();
  const agent = context.newAgentId('planner');
  const base = await readBaseTip(context, session);
  const outcome = await workInScratchWorktree(
    context,
    base,
    async (cell) => runAgent(context, await plannerJob(context, request, { agent, base, cell })),
    { name: agent },
  );
  if (outcome.failure !== null && outcome.failure.kind !== 'malformed-answer') throw plannerFailed(outcome.failure);
  if (isInteractive && outcome.answer === null) throw leftWithoutPlan();
  return readAnswer(outcome.answer, outcome.text);
}

interface PlannerPlace {
  readonly agent: AgentId;
  readonly base: ObjectId;
  readonly cell: CellWorktree;
}

async function plannerJob(
  context: RunContext,
  { session, tasks, problems, isInteractive }: PlannerRequest,
  { agent, base, cell }: PlannerPlace,
): Promise<AgentJob> {
  const { config, git } = context;
  const readme = await readReadme(context, base);
  return {
    id: agent,
    session: session.id,
    role: 'planner',
    adapter: findRoleAdapter(config, 'planner'),
    task: null,
    cell,
    policy: compilePolicy({ config, role: 'planner', agentId: agent, worktree: cell.path, fileLocks: [] }),
    isReadOnly: true,
    isInteractive,
    prompt: {
      role: 'planner',
      isInteractive,
      objective: session.objective,
      files: (await git.listFiles(base, maxFiles)).join('\n'),
      readme: readme.slice(0, 4_000),
      memory: await recallForPlanner(context, session.objective),
      notes: session.sent_back?.notes ?? (session.replan_notes === null ? [] : [session.replan_notes]),
      sentBack: (session.sent_back?.plan ?? []).map(describePlanned),
      tasks: describeTasks(tasks, (await viewSession(context, session.id)).snapshot.blackboardOf(session.id)),
      problems,
    },
  };
}

function plannerFailed({ kind, message, details }: Failure): FlameError {
  return new FlameError({
    kind: kind === 'agent-stopped' ? 'interrupted' : 'refused',
    code: 'planner-failed',
    message: `The planner failed: ${message}`,
    details: details.slice(0, 20),
    hints: ['git flame run', 'git flame plan --from FILE'],
  });
}

function noPlanner(): FlameError {
  return refusedError('no-planner', 'The planner of this configuration is exec, but a script makes no plans.', [
    'git flame plan --from FILE',
    'git flame run --from FILE',
  ]);
}

function leftWithoutPlan(): FlameError {
  return noPlanError('The planning session ended without a plan.', {
    kind: 'waiting',
    hints: ['git flame plan', 'git flame plan --no-interactive', 'git flame plan --from FILE'],
  });
}

/** `kind` is waiting where the person ended the planning. */
export function noPlanError(message: string, init: Pick<FlameErrorInit, 'kind' | 'details' | 'hints'>): FlameError {
  return new FlameError({ ...init, code: 'no-plan', message });
}

/**
 * On a re-plan the planner must know what there is: ids that are taken, what became of them, and why, as far as there is
 * room; of work that is done what was left for later tasks.
 */
function describeTasks(tasks: readonly Task[], pages: readonly BlackboardPage[]): readonly string[] {
  let room = maxResultsLength;
  return tasks.map((task) => {
    const { id, title, status, reason } = task;
    const resultText = boundText(describePastResult(task, pages), maxResultLength);
    const isIncluded = resultText !== '' && resultText !== reason && resultText.length <= room;
    if (isIncluded) room -= resultText.length;
    return `${id} is ${status}: ${title}${reason === null ? '' : ` (${reason})`}${isIncluded ? `\n${resultText}` : ''}`;
  });
}

function describePastResult(task: Task, pages: readonly BlackboardPage[]): string {
  const { status, history } = task;
  if (status === 'merged' || status === 'done')
    return listNotesOfAcceptedAttempt(task, pages)
      .map(({ text }) => text)
      .join('\n');
  const last = history.at(-1);
  return last?.rejection_reason ?? last?.notes ?? '';
}

/** A task of a plan in one line, and below it the beginning of what it said. */
function describePlanned({ id, title, description, dependencies, file_locks }: PlannedTask): string {
  const needs = dependencies.length === 0 ? '' : `, needs ${dependencies.join(', ')}`;
  return `${id}: ${title} (${file_locks.join(', ')}${needs})\n${boundText(description, 500)}`;
}

function readAnswer(answer: unknown, text: string): PlannerAnswer {
  if (answer === null || answer === undefined) {
    return {
      kind: 'unusable',
      problems: [`The answer holds no plan, only text: ${JSON.stringify(text.slice(0, 200))}`],
    };
  }
  const parsed = parsePlannerAnswer(answer);
  return parsed.kind === 'ok' ? { kind: 'plan', plan: parsed.value } : { kind: 'unusable', problems: parsed.problems };
}
