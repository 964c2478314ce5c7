import { isPricedByPerson } from '../../domain/config/token-price.ts';
import { type Adapter, adapterTalksToModel, type StopReason, type StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentOutcome, AgentRequest } from '../../domain/ports/agent-port.ts';
import { throttle } from '../../util/pacing.ts';
import { agentOutputLogFile, type RunFolder } from '../run-folder.ts';
import type { CellLimits, RunnerContext } from '../runner-context.ts';
import type { CellProcess } from '../sandbox/spawn-cell.ts';
import { writeRegistration } from './agent-registry.ts';
import type { AgentServices } from './agent-services.ts';

/** One agent's run as it goes: what is known of it, and why it was ended early. */
export interface AgentRunState {
  readonly request: AgentRequest;
  readonly adapter: Adapter;
  readonly folder: RunFolder;
  readonly commonDir: string;
  readonly logFile: string;
  readonly limits: CellLimits;
  /** The configuration names the price of its model. */
  readonly hasOwnPrice: boolean;
  readonly reader: StreamReader;
  readonly startedAt: string;
  /** Milliseconds of the monotonic clock. */
  readonly began: number;
  readonly onActivity: (activity: AgentActivity) => void;
  services: AgentServices | null;
  cell: CellProcess | null;
  stoppedBecause: StopReason | null;
  timedOut: boolean;
  /** How many of its requests wait for a person's word about the budget. */
  pendingRequests: number;
  activity: AgentActivity;
  /** What a script did last, until it is passed on. */
  unshown: AgentActivity | null;
  readonly showSoon: () => void;
  registered: number;
  /** A registration that is due: the latest news must still be saved. */
  later: NodeJS.Timeout | null;
}

/** How long an agent may take to end by itself. */
export const agentGraceMs = 5_000;
/** How often the last line of a script is shown, in milliseconds. */
const showMs = 100;

export function createAgentRunState(
  context: RunnerContext,
  request: AgentRequest,
  start: { readonly folder: RunFolder; readonly onActivity: AgentRunState['onActivity'] },
): AgentRunState {
  const adapter = context.adapters(request.adapter);
  const { commonDir } = context.repository;
  const run: AgentRunState = {
    request,
    adapter,
    commonDir,
    limits: context.limits,
    ...start,
    logFile: agentOutputLogFile(commonDir, request.id),
    hasOwnPrice: isPricedByPerson(request.model, context.config.models.prices),
    reader: adapter.reader(request),
    startedAt: context.now().toISOString(),
    began: performance.now(),
    services: null,
    cell: null,
    stoppedBecause: null,
    timedOut: false,
    pendingRequests: 0,
    activity: { text: '', tokens: 0, cost_usd: 0 },
    unshown: null,
    showSoon: throttle(() => showLastActivity(run), showMs).soon,
    registered: 0,
    later: null,
  };
  return run;
}

/** Takes in what the agent printed. */
export function trackAgentOutput(run: AgentRunState, text: string): void {
  for (const activity of run.reader.push(text)) {
    const news = {
      ...activity,
      tokens: Math.max(activity.tokens, run.services?.tokens() ?? 0),
      cost_usd: chooseRunCost(run, activity.cost_usd),
    };
    // A report of counts alone leaves the last text as it is.
    run.activity = news.text === '' ? { ...news, text: run.activity.text } : news;
    if (adapterTalksToModel(run.adapter)) run.onActivity(news);
    else {
      run.unshown = news;
      run.showSoon();
    }
    registerRunThrottled(run);
  }
  const { limit, unit } = run.request.budget;
  const spent = unit === 'usd' ? run.activity.cost_usd : run.activity.tokens;
  // The gateway refuses the next request by itself; this is for agents that don't go through it.
  if (limit > 0 && spent > limit && !adapterTalksToModel(run.adapter)) stopAgentEarly(run, 'budget');
}

/** Passes on what a script did last, where that is due: it may print any amount, in pieces of any size. */
export function showLastActivity(run: AgentRunState): void {
  const { unshown } = run;
  run.unshown = null;
  if (unshown !== null) run.onActivity(unshown);
}

/** Ends the agent for a reason; the first one counts. */
export function stopAgentEarly(run: AgentRunState, why: StopReason): void {
  run.stoppedBecause ??= why;
  void run.cell?.stop(agentGraceMs);
}

/** Writes the registration, at most once a second: others look at it only now and then. */
export function registerRunThrottled(run: AgentRunState): void {
  if (run.registered === Number.POSITIVE_INFINITY) return;
  if (run.registered > 0 && performance.now() - run.registered < 1_000)
    run.later ??= setTimeout(() => {
      run.later = null;
      registerRunThrottled(run);
    }, 1_000).unref();
  else registerRunNow(run);
}

/** Writes it at once: what it has spent, and what it may, must be known after a kill. */
export function registerRunNow(run: AgentRunState): void {
  const { request, activity, startedAt, cell } = run;
  if (cell === null || cell.startedAt === null || run.registered === Number.POSITIVE_INFINITY) return;
  run.registered = performance.now();
  writeRegistration(run.folder.root, {
    id: request.id,
    role: request.role,
    task_id: request.task,
    pid: cell.pid,
    pid_start: cell.startedAt,
    started_at: startedAt,
    worktree: request.worktree.path,
    session: request.session ?? null,
    adapter: request.adapter,
    activity: activity.text,
    cost_usd: chooseRunCost(run, activity.cost_usd),
    tokens: Math.max(activity.tokens, run.services?.tokens() ?? 0),
    ...(run.services === null ? {} : { under_way: run.services.underWay() }),
  });
}

/** Writes what it has spent in all, for one whose run folder stays until that is booked. */
export function registerRunEnd(run: AgentRunState, { tokens, cost_usd }: AgentOutcome): void {
  if (run.request.isBooked !== true) return;
  // A script has spent nothing, as it is registered.
  if (!adapterTalksToModel(run.adapter) && tokens === 0 && cost_usd === 0) return;
  run.activity = { ...run.activity, tokens, cost_usd };
  registerRunNow(run);
}

/** Nothing is written any more: the run folder is about to go. */
export function stopRegisteringRun(run: AgentRunState): void {
  if (run.later !== null) clearTimeout(run.later);
  run.registered = Number.POSITIVE_INFINITY;
}

/**
 * Computes the cost of a run: the agent's own figure, and at least the gateway's count; that count alone where the
 * person has set the model's price, for the agent uses a list of its own.
 */
export function chooseRunCost(
  { hasOwnPrice, services }: Pick<AgentRunState, 'hasOwnPrice' | 'services'>,
  said: number,
): number {
  const counted = services?.cost() ?? 0;
  return hasOwnPrice && counted > 0 ? counted : Math.max(said, counted);
}
