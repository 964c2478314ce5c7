import { randomUUID } from 'node:crypto';
import { nextAttemptNumber } from '../../core/task/task-history.ts';
import { askPersonToolName } from '../../domain/agent-messages.ts';
import type { AgentPolicy } from '../../domain/agent-policy.ts';
import {
  mergerAnswerJsonSchema,
  plannerAnswerJsonSchema,
  validatorAnswerJsonSchema,
} from '../../domain/config/agent-answers.ts';
import { type AgentId, agentAuthor, type ObjectId, type SessionId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest, AgentToolServer, RunningAgent } from '../../domain/ports/agent-port.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { ProjectInstructionsFile, PromptData, Prompts } from '../../domain/ports/prompt-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { makeAskPersonHandler } from './ask-person.ts';
import { createSharedBudget, trackLiveSpending } from './session-budget.ts';

// A worker's commits are its answer.
const answerSchemas = {
  planner: plannerAnswerJsonSchema,
  worker: null,
  validator: validatorAnswerJsonSchema,
  merger: mergerAnswerJsonSchema,
  // It answers through its tools.
  queen: null,
} as const;

export interface AgentJob {
  readonly id: AgentId;
  readonly session: SessionId;
  readonly role: Role;
  readonly adapter: string;
  readonly task: Task | null;
  readonly cell: CellWorktree;
  readonly policy: AgentPolicy;
  /** See AgentRequest. */
  readonly recorded?: readonly DiagnosticRun[];
  /** See AgentRequest; who has some leads, and takes as long as the others do. */
  readonly tools?: AgentToolServer;
  readonly isReadOnly: boolean;
  /** See AgentRequest; asked where the configuration and its CLI have it. */
  readonly lastWord?: AgentRequest['finalCheck'];
  readonly isInteractive?: boolean;
  readonly prompt: PromptData;
}

/** Starts the agent of a job with what its configuration, its prompt and its hooks say. */
export async function startAgentForJob(
  context: RunContext,
  job: AgentJob,
  { model, budget }: Pick<AgentRequest, 'model' | 'budget'>,
): Promise<RunningAgent> {
  const from = beginningOf(job);
  const { system, prompt } = await renderAgentPrompt(context, {
    adapter: job.adapter,
    data: job.prompt,
    from,
  });
  const onActivity = ({ text, tokens, cost_usd, quiet_ms }: AgentActivity): void => {
    trackLiveSpending(context, job.id, { tokens, cost_usd });
    if (quiet_ms === undefined) context.events.emit({ event: 'agent-activity', agent: job.id, text, tokens, cost_usd });
    else context.events.emit({ event: 'agent-stalled', agent: job.id, task: job.task?.id ?? null, quiet_ms });
  };
  return context.agents.start(
    {
      id: job.id,
      role: job.role,
      adapter: job.adapter,
      session: job.session,
      task: job.task?.id ?? null,
      ...(job.task === null ? {} : { taskTitle: job.task.title, attempt: nextAttemptNumber(job.task.history) }),
      ...(job.isInteractive === true ? { conversation: randomUUID() } : {}),
      model,
      systemPrompt: system,
      prompt,
      answerSchema: job.isInteractive === true ? null : answerSchemas[job.role],
      worktree: job.cell,
      isReadOnly: job.isReadOnly,
      policy: job.policy,
      ...(job.recorded === undefined ? {} : { recorded: job.recorded }),
      ...(job.tools === undefined ? {} : { tools: job.tools }),
      ...lastWordOf(context, job),
      ...makeAskPersonHandler(context, job),
      onHint: ({ hint: { id: hint, by, text }, state, next }) =>
        context.events.emit({
          event: 'hint',
          agent: job.id,
          task: job.task?.id ?? null,
          hint,
          by,
          text,
          state,
          next,
        }),
      budget,
      timeoutMs: job.isInteractive === true || job.tools !== undefined ? 0 : context.config.limits.agent_timeout,
      isInteractive: job.isInteractive ?? false,
      isBooked: true,
      author: agentAuthor(job.id),
    },
    onActivity,
    createSharedBudget(context, job),
  );
}

function lastWordOf(
  { adapter, config }: Pick<RunContext, 'adapter' | 'config'>,
  { adapter: name, lastWord: finalCheck, isInteractive }: AgentJob,
): Pick<AgentRequest, 'finalCheck'> {
  const isHeld = config.validation.last_word && adapter(name).end !== null && isInteractive !== true;
  return finalCheck === undefined || !isHeld ? {} : { finalCheck };
}

/** Commit the work began at: an agent that judges or merges must not see instructions from the work itself. */
function beginningOf({ role, task, cell }: AgentJob): ObjectId | null {
  return role === 'validator' || role === 'merger' ? (task?.start_commit ?? null) : cell.base;
}

/**
 * Renders the prompt of an agent, with the project's own templates as they are at `from`. A script's prompt is the
 * script: the task's description as it was planned. Throws FlameError `bad-template`.
 */
export async function renderAgentPrompt(
  context: Pick<RunContext, 'adapter' | 'config' | 'prompts'> & WithGit<GitFiles>,
  { adapter, data, from }: { readonly adapter: string; readonly data: PromptData; readonly from: ObjectId | null },
): Promise<Prompts> {
  if (data.role === 'worker' && !adapterTalksToModel(context.adapter(adapter)))
    return { system: '', prompt: data.task.description };
  const promptData = data.role === 'worker' ? { ...data, askTool: askToolOf(context, adapter) } : data;
  return context.prompts.render(promptData, await readProjectFiles(context, from));
}

/** By what its model can ask the person; '': by nothing. */
function askToolOf({ adapter, config }: Pick<RunContext, 'adapter' | 'config'>, name: string): string {
  const mayAsk =
    config.limits.question_timeout !== 'never' && !config.permissions.blocked_tools.includes(askPersonToolName);
  return mayAsk ? (adapter(name).calls?.asks?.tool ?? '') : '';
}

/** The repository's own words to agents at a commit, each text once: many a CLAUDE.md only leads to AGENTS.md. */
async function readProjectFiles(
  { config, git }: Pick<RunContext, 'config'> & WithGit<GitFiles>,
  commit: ObjectId | null,
): Promise<readonly ProjectInstructionsFile[]> {
  const paths = config.prompts.project_files;
  if (commit === null || paths.length === 0) return [];
  const texts = await git.readTexts(commit, paths);
  const seen = new Set<string>();
  return paths.flatMap((path) => {
    const text = texts.get(path)?.trim() ?? '';
    if (text === '' || seen.has(text) || paths.includes(text.replace(/^@?(?:\.\/)?/, ''))) return [];
    seen.add(text);
    return [{ path, text }];
  });
}

/** Reads the project's README for the planner; '' without one. */
export async function readReadme({ git }: WithGit<Pick<GitFiles, 'readTexts'>>, commit: ObjectId): Promise<string> {
  return (await git.readTexts(commit, ['README.md'])).get('README.md') ?? '';
}
