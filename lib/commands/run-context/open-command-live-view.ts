import { leaveHint } from '../../cell/run/hints.ts';
import { computeBudgetState } from '../../core/schedule/budget-state.ts';
import { selectReadyTasks } from '../../core/schedule/select-ready.ts';
import { hintRefusalReasons } from '../../domain/agent-messages.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { readRoleBudget } from '../../domain/config/role-adapter-and-model.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { countTasks } from '../../domain/state/task-counts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { GracefulStop } from '../../engine/graceful-stop.ts';
import type { ConfirmedLiveAction } from '../../ui/live/live-keys.ts';
import type { LiveSessionFacts } from '../../ui/live/live-state.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { errorMessage } from '../../util/error-text.ts';
import type { ReadContext } from '../context/open-read-context.ts';
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
  return openLiveView(io, {
    style: reading.output.errorStyle,
    look: async () => {
      const snapshot = await reading.store.snapshot();
      const session = reading.selected.pick(snapshot);
      return factsOf(current.loaded.config, session, session === null ? [] : snapshot.tasksOf(session.id));
    },
    act: (order) => follow(order, { reading, current, gracefulStop }).catch(errorMessage),
  });
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

function factsOf(config: Config, session: Session | null, tasks: readonly Task[]): LiveSessionFacts {
  const { selected } = selectReadyTasks({ tasks, running: [], limit: tasks.length, now: Date.now() });
  const { unit, limit } = session === null ? { unit: 'usd' as const, limit: 0 } : computeBudgetState(config, session);
  const budgetOf = (role: Parameters<typeof readRoleBudget>[1]) => readRoleBudget(config, role);
  return {
    counts: countTasks(tasks.map(({ status, result }) => ({ status, verdict: result.status }))),
    ready: selected.length,
    spent: { cost_usd: session?.cost_usd ?? 0, tokens: session?.tokens ?? 0 },
    budget: { unit, limit },
    agentBudgets: {
      planner: budgetOf('planner'),
      worker: budgetOf('worker'),
      validator: budgetOf('validator'),
      merger: budgetOf('merger'),
      queen: budgetOf('queen'),
    },
    titles: new Map(tasks.map(({ id, title }) => [id, title])),
  };
}
