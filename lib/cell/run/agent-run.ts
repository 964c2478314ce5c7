import { isPricedByPerson } from '../../domain/config/token-price.ts';
import type { Failure } from '../../domain/failure.ts';
import {
  type Adapter,
  type AgentResultParts,
  type Launch,
  needsModel,
  type StopReason,
  type StreamReader,
} from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentOutcome, AgentRequest, StopOrder } from '../../domain/ports/agent-port.ts';
import { readPlainText } from '../../util/read-plain.ts';
import { explainByLimit } from '../gateway/service-limit.ts';
import { explainByTrouble } from '../gateway/service-trouble.ts';
import { describeLimit } from '../limits/limits.ts';
import { type RunFolder, streamFile } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import type { CellEnd, CellProcess } from '../sandbox/spawn-cell.ts';
import type { CellLimits } from '../sandbox-state.ts';
import { auditFile, summarizeAudit } from '../watcher/audit-log.ts';
import { writeRegistration } from './agent-registry.ts';
import type { AgentServices } from './agent-services.ts';
import { readNotes } from './read-notes.ts';
import { readStopOrder } from './stop-agent.ts';

/** One agent's run as it goes: what is known of it, and why it was ended early. */
export interface AgentRun {
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
  held: number;
  activity: AgentActivity;
  registered: number;
  /** A registration that is due: what was heard last must still be read. */
  later: NodeJS.Timeout | null;
}

/** Bytes; more than any conversation of a planner's. */
const longestTranscript = 256 * 1_024 * 1_024;

/** How long an agent may take to end by itself. */
export const graceMs = 5_000;

export function openRun(
  context: RunnerContext,
  request: AgentRequest,
  start: { readonly folder: RunFolder; readonly onActivity: AgentRun['onActivity'] },
): AgentRun {
  const adapter = context.adapters(request.adapter);
  const { commonDir } = context.repository;
  return {
    ...{ request, adapter, commonDir, limits: context.limits, ...start },
    logFile: streamFile(commonDir, request.id),
    hasOwnPrice: isPricedByPerson(request.model, context.config.models.prices),
    reader: adapter.reader(request),
    startedAt: context.now().toISOString(),
    began: performance.now(),
    services: null,
    cell: null,
    stoppedBecause: null,
    timedOut: false,
    held: 0,
    activity: { text: '', tokens: 0, cost_usd: 0 },
    registered: 0,
    later: null,
  };
}

/** Takes in what the agent printed. */
export function followOutput(run: AgentRun, text: string): void {
  for (const activity of run.reader.push(text)) {
    const news = {
      ...activity,
      tokens: Math.max(activity.tokens, run.services?.tokens() ?? 0),
      cost_usd: costOf(run, activity.cost_usd),
    };
    // What only counts says nothing of what it does.
    run.activity = news.text === '' ? { ...news, text: run.activity.text } : news;
    run.onActivity(news);
    registerRun(run);
  }
  const { limit, unit } = run.request.budget;
  const spent = unit === 'usd' ? run.activity.cost_usd : run.activity.tokens;
  // The gateway refuses the next request by itself; this is for agents that don't go through it.
  if (limit > 0 && spent > limit && !needsModel(run.adapter)) endEarly(run, 'budget');
}

/** Ends the agent for a reason; the first one counts. */
export function endEarly(run: AgentRun, why: StopReason): void {
  run.stoppedBecause ??= why;
  void run.cell?.stop(graceMs);
}

/** Writes the registration, at most once a second: others look at it only now and then. */
export function registerRun(run: AgentRun): void {
  if (run.registered === Number.POSITIVE_INFINITY) return;
  if (run.registered > 0 && performance.now() - run.registered < 1_000)
    run.later ??= setTimeout(() => writeLater(run), 1_000).unref();
  else registerNow(run);
}

/** Writes it at once: what it has spent, and what it may, must be known after a kill. */
export function registerNow(run: AgentRun): void {
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
    cost_usd: costOf(run, activity.cost_usd),
    tokens: Math.max(activity.tokens, run.services?.tokens() ?? 0),
    ...(run.services === null ? {} : { under_way: run.services.underWay() }),
  });
}

/** Writes what it has spent in all, for one whose run folder stays until that is booked. */
export function registerEnd(run: AgentRun, { tokens, cost_usd }: AgentOutcome): void {
  if (run.request.isBooked !== true) return;
  // A script has spent nothing, as it is registered.
  if (!needsModel(run.adapter) && tokens === 0 && cost_usd === 0) return;
  run.activity = { ...run.activity, tokens, cost_usd };
  registerNow(run);
}

/** Nothing is written any more: the run folder is about to go. */
export function endRegistration(run: AgentRun): void {
  if (run.later !== null) clearTimeout(run.later);
  run.registered = Number.POSITIVE_INFINITY;
}

function writeLater(run: AgentRun): void {
  run.later = null;
  registerRun(run);
}

/** Judges the run, all its processes being gone. Reads what is in its home, which may be removed after. */
export function concludeRun(
  run: AgentRun,
  ended: { readonly launch: Launch; readonly end: CellEnd; readonly stderr: string },
): AgentOutcome {
  // The order of another process; who ordered this one to stop everything is known already.
  const order = run.stoppedBecause === null ? readStopOrder(run.folder.root) : null;
  if (order !== null) run.stoppedBecause = 'stopped';
  const parts = readResult(run, ended);
  const { notes, warnings } = readNotes(run.folder.tmp);
  const { exitCode } = ended.end;
  return {
    failure:
      (order === null ? cellFailure(run, ended) : stoppedBy(order)) ??
      explainByTrouble(
        explainByLimit(withoutOwnAddress(run, parts.failure), run.services?.limit() ?? null),
        run.services?.trouble() ?? null,
        run.request.budget,
      ),
    exitCode,
    answer: parts.answer,
    text: parts.text,
    ...(notes === '' ? {} : { notes }),
    cost_usd: costOf(run, parts.cost_usd),
    // What the agent says is its own word: what passed by counts at least.
    tokens: Math.max(parts.tokens, run.services?.tokens() ?? 0),
    duration_ms: Math.round(performance.now() - run.began),
    audit: summarizeAudit(auditFile(run.commonDir, run.request.id)),
    logFile: run.logFile,
    warnings: [...parts.warnings, ...warnings],
  };
}

/** Its CLI names the way out of its cell as the service: an address that nobody outside can look at. */
function withoutOwnAddress(
  { services }: Pick<AgentRun, 'services'>,
  failure: Failure | null,
): Failure | null {
  const address = services?.paths?.baseUrl ?? null;
  if (failure === null || address === null) return failure;
  const named = (text: string): string => text.replaceAll(address, '(the model API)');
  return { ...failure, message: named(failure.message), details: failure.details.map(named) };
}

/**
 * What a run has cost. What the agent says is its own word: what passed by counts at least, and alone where the person
 * has said what the model costs, for the agent goes by a list of its own.
 */
function costOf({ hasOwnPrice, services }: Pick<AgentRun, 'hasOwnPrice' | 'services'>, said: number): number {
  const counted = services?.cost() ?? 0;
  return hasOwnPrice && counted > 0 ? counted : Math.max(said, counted);
}

/** What the cell knows better than the adapter; null where that judges. */
function cellFailure(
  { limits, stoppedBecause, timedOut }: AgentRun,
  { end, stderr }: { readonly end: CellEnd; readonly stderr: string },
): Failure | null {
  if (end.startError !== null) return notStarted(end.startError);
  if (end.limit === null || stoppedBecause !== null || timedOut) return null;
  return {
    kind: 'limit',
    message: `The agent ${describeLimit(end.limit, limits)}.`,
    details: stderr.split('\n').filter(Boolean).slice(-10),
    // Told so, it may do otherwise.
    retryable: true,
  };
}

function stoppedBy({ by, retry }: StopOrder): Failure {
  return { kind: 'agent-stopped', message: `Stopped by ${by}.`, details: [], retryable: retry };
}

function notStarted(reason: string): Failure {
  return {
    kind: 'spawn-failed',
    message: "The agent's cell could not be started.",
    details: [reason],
    // Arguments that are too long stay so; groups and namespaces of the machine come and go.
    retryable: !reason.includes('E2BIG'),
  };
}

function readResult(
  run: AgentRun,
  { launch, end, stderr }: { readonly launch: Launch; readonly end: CellEnd; readonly stderr: string },
): AgentResultParts {
  const parts = run.reader.finish({
    exitCode: end.exitCode,
    signal: end.signal,
    timedOut: run.timedOut,
    stoppedBecause: run.stoppedBecause,
    stderr,
    at: Date.now(),
  });
  if (launch.transcript === null) return parts;
  return {
    ...parts,
    ...run.adapter.readTranscript(
      readPlainText(launch.transcript, { root: run.folder.home, most: longestTranscript }),
    ),
  };
}
