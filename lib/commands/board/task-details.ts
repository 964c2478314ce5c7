import type {
  BoardAgentRun,
  BoardAttempt,
  BoardTaskDetails,
  BoardVerdict,
} from '../../domain/shown/board.ts';
import type { TaskStory } from '../../domain/shown/task-story.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { DiagnosticRun, Verdict } from '../../domain/state/verdict.ts';
import { isSessionBusy } from '../open/clone-lock.ts';
import type { Reading } from '../open/read-state.ts';
import { readSnapshot, type SessionMeant } from '../open/session-meant.ts';
import { tellStory } from '../show/tell-story.ts';
import type { PromptPreview, PromptPreviewer } from './preview-prompt.ts';

/** All that is known of a task, or of one that is planned; null: there is none of that id. */
export async function readTaskDetails(
  reading: Reading,
  meant: SessionMeant,
  { id, prompts }: { readonly id: string; readonly prompts: PromptPreviewer },
): Promise<BoardTaskDetails | null> {
  const snapshot = await readSnapshot(reading.store, meant);
  const session = meant.require(snapshot);
  const planned = session.proposal?.find((task) => task.id === id);
  const task = snapshot.tasksOf(session.id).find((one) => one.id === id);
  if (planned !== undefined) return describePlanned(planned, await prompts.ofPlanned(session, planned));
  if (task === undefined) return null;
  const story = await tellStory(reading, { snapshot, session, task });
  const details = describeStory(story, await prompts.ofTask(session, task));
  if (!isSessionBusy(reading.git.repository.commonDir, session.id)) return details;
  // While a run is at work, only commands that look at it are offered.
  return { ...details, next: details.next.filter((command) => /^git flame (?:agent|show) /.test(command)) };
}

function describePlanned(task: PlannedTask, preview: PromptPreview): BoardTaskDetails {
  return {
    ...describeAsked(task, preview),
    attempts: [],
    verdicts: [],
    notes: [],
    agents: [],
    files: [],
    worktrees: [],
    next: [],
  };
}

type Asked = Pick<PlannedTask, 'description' | 'acceptance_criteria' | 'constraints' | 'adapter' | 'model'>;

function describeAsked(
  { description, acceptance_criteria: acceptance, constraints, adapter, model }: Asked,
  preview: PromptPreview,
) {
  return {
    description,
    acceptance,
    constraints,
    adapter,
    model,
    prompt: preview.kind === 'prompt' ? preview.prompts : null,
    prompt_missing: preview.kind === 'missing' ? preview.why : '',
  };
}

function describeStory(story: TaskStory, preview: PromptPreview): BoardTaskDetails {
  const { task, verdicts, notes, work, worktrees, next } = story;
  return {
    ...describeAsked(task, preview),
    attempts: task.history.map(describeAttempt),
    verdicts: [...verdicts].reverse().map(describeVerdict),
    notes: notes
      .filter(({ state }) => state !== 'void')
      .map(({ task: from, by, text }) => ({ from: from ?? by, text })),
    agents: describeAgents(story),
    files: work?.files ?? [],
    worktrees,
    next,
  };
}

function describeAttempt(entry: TaskStory['task']['history'][number]): BoardAttempt {
  const {
    attempt: number,
    agent_id: agent,
    timestamp: at,
    result,
    notes,
    rejection_reason: rejection,
  } = entry;
  return { number, agent, at, result, notes, rejection: rejection === notes ? null : rejection };
}

function describeVerdict({ status, by, at, notes, issues, override, diagnostics }: Verdict): BoardVerdict {
  return {
    status,
    by,
    at,
    notes,
    issues,
    override: override ?? null,
    checks: diagnostics.map(describeCheck),
  };
}

/** A check in words, as a person reads it. */
export function describeCheck({ command, exit_code: code, timed_out, output }: DiagnosticRun) {
  const how = timed_out ? 'took too long' : code === null ? 'ended by a signal' : `exit ${code}`;
  return { command, result: how, is_good: code === 0 && !timed_out, output };
}

/** Lists agents that were booked, and those that only the task's history names: these cost nothing. */
function describeAgents({ runs, times, calls }: TaskStory): readonly BoardAgentRun[] {
  const blockedOf = (agent: string): readonly string[] =>
    (calls.find((one) => one.agent === agent)?.blocked ?? []).map(
      ({ tool, target, rule, count }) =>
        `${tool} ${target}: ${rule}${count === 1 ? '' : ` (${count} times)`}`,
    );
  const booked = runs.map(({ id, role, outcome, cost_usd, tokens, started_at, ended_at }) => ({
    id,
    role,
    outcome,
    cost_usd,
    tokens,
    took_ms: Date.parse(ended_at) - Date.parse(started_at),
    blocked: blockedOf(id),
  }));
  const others = times.filter(({ agent }) => !runs.some(({ id }) => id === agent));
  return [
    ...others.map(({ agent, took_ms }) => ({
      id: agent,
      role: null,
      outcome: '',
      cost_usd: 0,
      tokens: 0,
      took_ms,
      blocked: blockedOf(agent),
    })),
    ...booked,
  ];
}
