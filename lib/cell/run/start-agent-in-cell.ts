import type { CallDecision } from '../../domain/agent-policy.ts';
import { type AgentLaunch, adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest, RunningAgent, SharedBudget } from '../../domain/ports/agent-port.ts';
import type { ReportedCall } from '../../domain/ports/call-facts.ts';
import { type CellEgress, openEgress } from '../egress/open-egress.ts';
import type { Upstream } from '../gateway/upstream-model-api.ts';
import { egressLogFile, makeRunFolder, writeLaunchFiles } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import type { CellPlace } from '../sandbox/cell-layout.ts';
import { type CellProcess, type CellStart, spawnCell } from '../sandbox/spawn-cell.ts';
import { createTailBuffer } from '../tail-buffer.ts';
import { auditFile } from '../watcher/audit-log.ts';
import { buildAgentCellProfile, buildAgentLaunch, listFilesShownEmpty } from './agent-cell-profile.ts';
import type { AgentCallJudgeOptions } from './agent-judge.ts';
import { openCappedLog } from './agent-output-log.ts';
import {
  type AgentRunState,
  agentGraceMs,
  createAgentRunState,
  registerRunEnd,
  registerRunNow,
  registerRunThrottled,
  showLastActivity,
  stopAgentEarly,
  stopRegisteringRun,
  trackAgentOutput,
} from './agent-run.ts';
import { type AgentServices, startServices } from './agent-services.ts';
import { measureAwakeTime, watchForSilence } from './awake-clock.ts';
import { concludeRun } from './conclude-run.ts';
import { resolveModelAccess } from './model-access.ts';
import { pauseTimeForBudget, pauseTimeForFinalCheck, waitForBudgetShare } from './paused-time.ts';
import { resolveAdapterCommand } from './resolve-command.ts';

interface AgentStart {
  readonly request: AgentRequest;
  readonly onActivity: (activity: AgentActivity) => void;
  /** undefined: it spends on its own account alone. */
  readonly shared?: SharedBudget | undefined;
  /** Where it works, when that is no git worktree. */
  readonly place?: CellPlace;
  /** Instead of the model API of the person's environment. */
  readonly upstream?: Upstream;
  /** Called with each decision about its calls. */
  readonly onJudged?: AgentCallJudgeOptions['onJudged'];
}

const largestStreamLog = 20 * 1024 * 1024;
const stderrTail = 8_192;

/** Starts one agent in its cell. Rejects with a FlameError when it can't; then nothing is left over. */
export async function startAgentInCell(context: RunnerContext, start: AgentStart): Promise<RunningAgent> {
  const { request, onActivity } = start;
  const adapter = context.adapters(request.adapter);
  const access = resolveModelAccess(context, adapter, { model: request.model, upstream: start.upstream });
  const folder = makeRunFolder(context.repository.commonDir, request.id);
  let services: AgentServices | null = null;
  let egress: CellEgress | null = null;
  try {
    const run = createAgentRunState(context, request, { folder, onActivity });
    const command = resolveAdapterCommand(context, run.adapter);
    const [sandbox, prepared] = await Promise.all([context.sandbox(), context.prepared(run.adapter)]);
    services = await startServices(context, {
      adapter: run.adapter,
      request,
      folder,
      confinement: sandbox.confinement,
      access,
      ...hear(context, run, start),
    });
    run.services = services;
    egress = await openEgress(context, {
      phase: 'work',
      folder,
      confinement: sandbox.confinement,
      name: request.id,
    });
    const launch = buildAgentLaunch(context, run, { command, prepared, services });
    writeLaunchFiles(folder, launch.files);
    const [gitConfig, workTree] = await Promise.all([context.gitConfig(), context.workTree()]);
    const place = start.place ?? request.worktree;
    const emptied = await listFilesShownEmpty(context, run, place);
    const profile = buildAgentCellProfile(context, run, {
      command,
      services,
      launch,
      gitConfig,
      workTree,
      place,
      emptied,
      egress,
    });
    const { heartbeat_interval: heartbeatMs, agent_timeout: patienceMs } = context.config.limits;
    const argv = run.services.wrap(launch.argv);
    // The output of a model's program is read as its own and its model's: no other program may write there.
    const opensOutput = !adapterTalksToModel(run.adapter) && !request.isInteractive;
    return watch(run, { launch, egress, heartbeatMs, patienceMs }, (output) =>
      spawnCell({
        sandbox,
        profile,
        limits: context.limits,
        argv: egress?.wrap(argv) ?? argv,
        stdin: launch.stdin,
        mark: request.id,
        opensOutput,
        ...output,
      }),
    );
  } catch (error) {
    await Promise.all([services?.close(), egress?.close()]);
    await folder.remove();
    throw error;
  }
}

/** Returns the run's answers to the reports and questions of its services. */
function hear(
  context: RunnerContext,
  run: AgentRunState,
  { request, shared, onJudged }: AgentStart,
): Omit<Parameters<typeof startServices>[1], 'adapter' | 'request' | 'folder' | 'confinement' | 'access'> {
  return {
    onSpending: (spent) => {
      shared?.note(spent);
      registerRunThrottled(run);
    },
    onUnderWay: () => registerRunNow(run),
    sharesUsd: shared?.isInUsd ?? false,
    share: (id, demand, isGone) => waitForBudgetShare(run, () => shared?.take(id, demand, isGone), demand.most),
    giveBack: (id) => shared?.giveBack(id),
    onRefused: (why) => stopAgentEarly(run, why),
    ...pauseTimeForFinalCheck(run, request.finalCheck),
    ...pauseTimeForBudget(run, request.ask, context.config.limits.question_timeout),
    onJudged: (call, decision, mark) => {
      onJudged?.(call, decision, mark);
      showBlocked(run, call, decision);
    },
    onUnwatched: () => stopAgentEarly(run, 'unwatched-call'),
  };
}

interface Watched {
  readonly launch: AgentLaunch;
  readonly egress: CellEgress | null;
  readonly heartbeatMs: number;
  readonly patienceMs: number;
}

/** Follows an agent from its start to its end, and clears up after it. */
function watch(
  run: AgentRunState,
  { launch, egress, heartbeatMs, patienceMs }: Watched,
  spawn: (output: Pick<CellStart, 'onStdout' | 'onStderr'>) => CellProcess,
): RunningAgent {
  const log = openCappedLog(run.logFile, largestStreamLog);
  const stderr = createTailBuffer(stderrTail);
  const decoder = new TextDecoder();
  const quiet = watchForSilence({
    heartbeatMs,
    files: [auditFile(run.commonDir, run.request.id), egressLogFile(run.commonDir, run.request.id)],
    patienceMs,
    isWaiting: () => run.request.tools?.isBusy() === true || run.pendingRequests > 0,
    onQuiet: (quietMs) => run.onActivity({ ...run.activity, text: '', quiet_ms: quietMs }),
    onTooLong: () => {
      // A lead agent has no time limit: where it is quiet for too long, the session goes on better without it.
      if (run.request.tools === undefined) return;
      run.timedOut = true;
      void run.cell?.stop(agentGraceMs);
    },
  });
  const cell = spawn({
    onStdout(chunk) {
      quiet.hear();
      log.write(chunk);
      trackAgentOutput(run, decoder.decode(chunk, { stream: true }));
    },
    onStderr(chunk) {
      quiet.hear();
      stderr.push(chunk);
    },
  });
  run.cell = cell;
  registerRunThrottled(run);
  const endWatch = watchTime(run, cell, { heartbeatMs, onLook: quiet.look });
  const outcome = cell.ended.then(async (end) => {
    endWatch();
    log.close();
    showLastActivity(run);
    await Promise.all([run.services?.close(), egress?.close()]);
    try {
      const concluded = concludeRun(run, { launch, end, stderr: stderr.text() });
      registerRunEnd(run, concluded);
      return concluded;
    } finally {
      stopRegisteringRun(run);
      if (run.request.isBooked !== true) await run.folder.remove();
    }
  });
  return {
    id: run.request.id,
    pid: cell.pid,
    outcome,
    async stop(ms) {
      run.stoppedBecause ??= 'stopped';
      await cell.stop(ms);
      await outcome;
    },
    release: () => run.folder.remove(),
  };
}

/** Ends an agent that takes too long, and looks at it meanwhile. Returns what ends the watch. */
function watchTime(
  run: AgentRunState,
  cell: CellProcess,
  { heartbeatMs, onLook }: { readonly heartbeatMs: number; onLook(elapsedMs: number): void },
): () => void {
  const { timeoutMs, isInteractive } = run.request;
  return measureAwakeTime({
    timeoutMs,
    lookMs: heartbeatMs,
    isPaused: () => run.pendingRequests > 0,
    onTime: () => {
      run.timedOut = true;
      void cell.stop(agentGraceMs);
    },
    // A person who thinks is no agent that is stuck.
    ...(isInteractive ? {} : { onLook }),
  });
}

/** Who watches sees a blocked call as what it is; what was run elsewhere and is shown in its place was not refused. */
function showBlocked(
  run: AgentRunState,
  { does: [{ tool_name: tool }] }: ReportedCall,
  { decision, rule, details }: CallDecision,
): void {
  if (decision === 'allow' || rule === 'replayed') return;
  run.onActivity({ ...run.activity, text: `${tool} blocked by ${rule}: ${details.split('\n')[0] ?? ''}` });
}
