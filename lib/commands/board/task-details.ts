import { getAdapter } from '../../agents/get-adapter.ts';
import { createPromptRenderer } from '../../agents/prompt-renderer.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Prompts } from '../../domain/ports/prompt-port.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import type {
  BoardAgentRun,
  BoardAttempt,
  BoardTaskDetails,
  BoardVerdict,
} from '../../domain/view-models/board-view.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { TaskStory } from '../../domain/view-models/task-story.ts';
import { makeTaskOfPlannedTask } from '../../engine/plan/turn-plan-into-tasks.ts';
import { viewSession } from '../../engine/record-changes.ts';
import { previewWorkerPrompt } from '../../engine/work/worker-prompt.ts';
import { isContentAllowed, readPermission } from '../../trust/repository/permission.ts';
import { describeDiagnosticResult } from '../../ui/questions/prepare-validation-questions.ts';
import { readSessionSnapshot, type SelectedSession } from '../context/open-notes-context.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readPermissionRequest } from '../context/permission-gate.ts';
import { readConfig } from '../context/read-config.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { gatherStory } from '../show/gather-story.ts';

/** All that is known of a task, or of one that is planned; null: there is none of that id. */
export async function readTaskDetails(
  reading: ReadContext,
  selected: SelectedSession,
  { id, prompts }: { readonly id: string; readonly prompts: PromptPreviewer },
): Promise<BoardTaskDetails | null> {
  const snapshot = await readSessionSnapshot(reading.store, selected);
  const session = selected.require(snapshot);
  const planned = session.proposal?.find((task) => task.id === id);
  const task = snapshot.tasksOf(session.id).find((one) => one.id === id);
  if (planned !== undefined) return describePlanned(planned, await prompts.ofPlanned(session, planned));
  if (task === undefined) return null;
  const story = await gatherStory(reading, { snapshot, session, task });
  const details = describeStory(story, await prompts.ofTask(session, task));
  if (!isSessionBusy(reading.git.repository.commonDir, session.id)) return details;
  // While a run is at work, only commands that look at it are offered.
  return { ...details, next: details.next.filter((command) => /^git flame (?:agent|show) /.test(command)) };
}

function describePlanned(task: PlannedTask, preview: PromptPreview): BoardTaskDetails {
  return {
    ...describeRequest(task, preview),
    attempts: [],
    verdicts: [],
    notes: [],
    agents: [],
    files: [],
    next: [],
  };
}

type TaskRequest = Pick<PlannedTask, 'description' | 'acceptance_criteria' | 'constraints' | 'adapter' | 'model'>;

function describeRequest(
  { description, acceptance_criteria: acceptance, constraints, adapter, model }: TaskRequest,
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
  const { task, verdicts, notes, work, next } = story;
  return {
    ...describeRequest(task, preview),
    attempts: task.history.map(describeAttempt),
    verdicts: [...verdicts].reverse().map(describeVerdict),
    notes: notes
      .filter(({ state }) => state !== 'void')
      .map(({ task: from, by, text }) => ({ from: from ?? by, text })),
    agents: describeAgents(story),
    files: work?.files ?? [],
    next,
  };
}

function describeAttempt(entry: TaskStory['task']['history'][number]): BoardAttempt {
  const { attempt: number, agent_id: agent, timestamp: at, result, notes, rejection_reason: rejection } = entry;
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
    checks: diagnostics.map(describeDiagnosticResult),
  };
}

/** Lists agents that were booked, and those that only the task's history names: these cost nothing. */
function describeAgents({ runs, times, calls }: TaskStory): readonly BoardAgentRun[] {
  const blockedOf = (agent: string): readonly string[] =>
    (calls.find((one) => one.agent === agent)?.blocked ?? []).map(
      ({ tool, target, rule, count }) => `${tool} ${target}: ${rule}${count === 1 ? '' : ` (${count} times)`}`,
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

type PromptPreview =
  | { readonly kind: 'prompt'; readonly prompts: Prompts }
  /** why: a sentence. */
  | { readonly kind: 'missing'; readonly why: string };

/** Renders the prompts that workers get. */
interface PromptPreviewer {
  ofTask(session: Session, task: Task): Promise<PromptPreview>;
  ofPlanned(session: Session, planned: PlannedTask): Promise<PromptPreview>;
}

/** Reads the configuration at each call. The repository's templates run as code: only as the person allowed them. */
export function openPromptPreviewer(reading: ReadContext, io: Io): PromptPreviewer {
  const ofTask = async (session: Session, task: Task): Promise<PromptPreview> => {
    try {
      return await preview(reading, io, { session, task });
    } catch (error) {
      if (error instanceof FlameError) return { kind: 'missing', why: error.message };
      throw error;
    }
  };
  return {
    ofTask,
    ofPlanned: async (session, planned) => {
      const tasks = (await reading.store.snapshot()).tasksOf(session.id);
      const gates = { person: session.created_by };
      return ofTask(session, makeTaskOfPlannedTask({ gates }, { session, tasks }, planned, session.updated_at));
    },
  };
}

async function preview(
  reading: ReadContext,
  io: Io,
  { session, task }: { readonly session: Session; readonly task: Task },
): Promise<PromptPreview> {
  const { git, store } = reading;
  const root = git.repository.mainWorkTree;
  if (root === null) return { kind: 'missing', why: 'This is a bare repository: no agent works here.' };
  const loaded = await readConfig(root, reading.configFile);
  const { content, place } = readPermissionRequest(loaded, io, { git, root });
  const hasOwn = content.templates.texts.size > 0;
  if (hasOwn && !isContentAllowed(content, readPermission(place)))
    return {
      kind: 'missing',
      why: 'The repository has its own prompt templates, which you have not allowed yet: git flame trust.',
    };
  const { config } = content;
  const context = {
    config,
    git,
    store,
    prompts: createPromptRenderer({ config, overrides: content.templates }),
    adapter: (name: string) => getAdapter(name, config),
  };
  const view = await viewSession(context, session.id);
  return { kind: 'prompt', prompts: await previewWorkerPrompt(context, view, task) };
}
