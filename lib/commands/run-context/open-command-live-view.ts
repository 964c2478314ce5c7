import { readRunningCommands } from '../../cell/run/command-records.ts';
import { leaveHint } from '../../cell/run/hints.ts';
import { computeBudgetState } from '../../core/schedule/budget-state.ts';
import { hintRefusalReasons } from '../../domain/agent-messages.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { readRoleBudget } from '../../domain/config/role-adapter-and-model.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { GracefulStop } from '../../engine/graceful-stop.ts';
import type { ConfirmedLiveAction } from '../../ui/live/live-keys.ts';
import type { LiveSessionFacts, LiveTask } from '../../ui/live/live-state.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { errorMessage } from '../../util/error-text.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readTaskWaitReasons } from '../context/waits-and-conflicts.ts';
import type { CurrentConfig } from './run-config.ts';

interface LiveParts {
  readonly reading: ReadContext;
  readonly current: CurrentConfig;
  readonly gracefulStop: GracefulStop;
}

/** The live view of a command that works; null where there is no terminal to draw on, or it is not wanted. */
export async function openLive(io: Io, { reading, current, gracefulStop }: LiveParts): Promise<LiveView | null> {
  if (!reading.commandLine.wantsLive || !canDraw(io)) return null;
  // Loaded only where it is shown.
  const { openLiveView } = await import('../../ui/live/live-view.ts');
  const { streamAgentActivity } = await import('../context/agent-stream.ts');
  const { commonDir } = reading.git.repository;
  return openLiveView(io, {
    style: reading.output.errorStyle,
    look: () => readFacts(reading, current),
    follow: (agent, hear, signal) => streamAgentActivity(commonDir, agent, { hear, signal }),
    readDiff: (task) => readTaskDiff(reading, task),
    act: (order) => follow(order, { reading, current, gracefulStop }).catch(errorMessage),
  });
}

/** Lines of a diff that are kept on the screen. */
const mostDiffLines = 5_000;

/** What a task has changed, as far as it was accepted. */
async function readTaskDiff({ store, selected, git }: ReadContext, id: string): Promise<string> {
  const snapshot = await store.snapshot();
  const session = selected.pick(snapshot);
  const task = session === null ? undefined : snapshot.tasksOf(session.id).find((one) => one.id === id);
  const { commit = null, start_commit: start = null } = task ?? {};
  if (commit === null || start === null) return `${id} has no accepted work yet.`;
  const lines = (await git.diffText(start, commit)).split('\n');
  if (lines.join('').trim() === '') return 'No changes.';
  const rest = lines.length - mostDiffLines;
  return [
    ...lines.slice(0, mostDiffLines),
    ...(rest > 0 ? [`… ${rest} more lines: git flame show ${id} --diff`] : []),
  ].join('\n');
}

async function readFacts(reading: ReadContext, { loaded }: CurrentConfig): Promise<LiveSessionFacts> {
  const snapshot = await reading.store.snapshot();
  const session = reading.selected.pick(snapshot);
  const tasks = session === null ? [] : snapshot.tasksOf(session.id);
  const waits =
    session === null ? new Map<string, readonly string[]>() : await readTaskWaitReasons(reading, session, tasks);
  const outputs = readRunningCommands(reading.git.repository.commonDir).map(({ about, command, output: text }) => ({
    about,
    command,
    text,
  }));
  return {
    ...describeSession(loaded.config, session),
    outputs,
    tasks: tasks.map((task) => describeTask(task, session, waits)),
  };
}

function describeTask(
  { id, title, status, result, reason, agent_id: agent, claimed_by: by }: Task,
  session: Session | null,
  waits: ReadonlyMap<string, readonly string[]>,
): LiveTask {
  const last = session?.agents.findLast(({ task_id: of }) => of === id);
  const why = status === 'pending' ? (waits.get(id) ?? []).join('; ') : (reason ?? '');
  const took = last === undefined ? Number.NaN : Date.parse(last.ended_at) - Date.parse(last.started_at);
  return {
    ...{ id, title, status, why },
    verdict: status === 'done' || status === 'merged' ? result.status : null,
    agent: agent ?? last?.id ?? by,
    took_ms: status === 'pending' || Number.isNaN(took) ? null : took,
  };
}

async function follow(
  order: ConfirmedLiveAction,
  { reading, current, gracefulStop }: LiveParts,
): Promise<string | null> {
  if (order.kind === 'wind-down') {
    gracefulStop.ask();
    return null;
  }
  const { agent } = order;
  const by = await reading.git.identity();
  if (order.kind === 'hint') {
    const left = leaveHint(reading.git.repository.commonDir, agent, { by, text: order.text });
    return left.kind === 'left' ? `message left: ${order.text}` : `message refused: ${hintRefusalReasons[left.why]}`;
  }
  // An agent that has just ended by itself need not be stopped.
  await current.agents.stop(agent, { by, retry: order.retry });
  return null;
}

function canDraw({ stderr, env }: Io): boolean {
  if (stderr.isTTY !== true) return false;
  // A pager has the screen.
  return (stderr.columns ?? 0) > 0 && env.TERM !== 'dumb' && env.GIT_PAGER_IN_USE !== 'true';
}

function describeSession(config: Config, session: Session | null): Omit<LiveSessionFacts, 'tasks' | 'outputs'> {
  const { unit, limit } = session === null ? { unit: 'usd' as const, limit: 0 } : computeBudgetState(config, session);
  const budgetOf = (role: Parameters<typeof readRoleBudget>[1]) => readRoleBudget(config, role);
  return {
    title: session === null ? '' : deriveSessionTitle(session),
    spent: { cost_usd: session?.cost_usd ?? 0, tokens: session?.tokens ?? 0 },
    budget: { unit, limit },
    agentBudgets: {
      planner: budgetOf('planner'),
      worker: budgetOf('worker'),
      validator: budgetOf('validator'),
      merger: budgetOf('merger'),
      queen: budgetOf('queen'),
    },
  };
}
