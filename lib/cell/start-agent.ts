import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, AgentResultParts, Launch, StopReason, StreamReader } from '../domain/adapter.ts';
import type { AgentActivity, AgentOutcome, AgentRequest, RunningAgent } from '../domain/agent-port.ts';
import { writeRegistration } from './agent-registry.ts';
import { type AgentServices, startServices } from './agent-services.ts';
import { auditFile, summarizeAudit } from './audit-log.ts';
import { openCappedLog } from './capped-log.ts';
import type { CellPlace } from './cell-layout.ts';
import { prepareCell } from './prepare-cell.ts';
import { filesOf, resolveCommand } from './resolve-command.ts';
import { logRoot, makeRunFolder, type RunFolder, writeLaunchFiles } from './run-folder.ts';
import type { RunnerContext } from './runner-context.ts';
import { type CellEnd, type CellProcess, spawnCell } from './spawn-cell.ts';
import { tailBuffer } from './tail-buffer.ts';
import { readUpstream, type Upstream } from './upstream.ts';

export interface AgentStart {
  readonly request: AgentRequest;
  readonly onActivity: (activity: AgentActivity) => void;
  /** Where it works, when that is no git worktree. */
  readonly place?: CellPlace;
  /** Instead of the model API of the person's environment. */
  readonly upstream?: Upstream;
}

const timeoutGraceMs = 5_000;
const largestStreamLog = 20 * 1024 * 1024;
const stderrTail = 8_192;

/** Starts one agent in its cell. Rejects with a FlameError when it can't; then nothing is left over. */
export async function startAgent(context: RunnerContext, start: AgentStart): Promise<RunningAgent> {
  const { request } = start;
  const folder = makeRunFolder(context.repository.commonDir, request.id);
  const run = makeRun(context, start, folder);
  try {
    return await launch(context, run);
  } catch (error) {
    await run.services?.close();
    folder.remove();
    throw error;
  }
}

/** One agent's run as it goes. */
interface Run {
  readonly start: AgentStart;
  readonly request: AgentRequest;
  readonly adapter: Adapter;
  readonly folder: RunFolder;
  readonly logFile: string;
  readonly reader: StreamReader;
  readonly startedAt: string;
  readonly began: number;
  services: AgentServices | null;
  cell: CellProcess | null;
  stoppedBecause: StopReason | null;
  timedOut: boolean;
  activity: AgentActivity;
  lastRegistered: number;
}

function makeRun(context: RunnerContext, start: AgentStart, folder: RunFolder): Run {
  const adapter = context.adapters(start.request.adapter);
  return {
    start,
    request: start.request,
    adapter,
    folder,
    logFile: join(logRoot(context.repository.commonDir), `${start.request.id}.stream.jsonl`),
    reader: adapter.reader(start.request),
    startedAt: context.now().toISOString(),
    began: performance.now(),
    services: null,
    cell: null,
    stoppedBecause: null,
    timedOut: false,
    activity: { text: '', tokens: 0, cost_usd: 0 },
    lastRegistered: 0,
  };
}

async function launch(context: RunnerContext, run: Run): Promise<RunningAgent> {
  const { request, adapter, folder } = run;
  const command = resolveCommand(context, adapter);
  const { confinement } = await context.sandbox();
  const services = await startServices(context, {
    ...{ adapter, request, folder, confinement },
    upstream: run.start.upstream ?? readUpstream(context.env),
    onTokens: () => register(run),
    onRefused: (why) => endEarly(run, why),
  });
  run.services = services;
  const plan = adapter.launch(request, {
    command,
    searchPath: context.searchFolders.join(':'),
    home: folder.home,
    tmp: folder.tmp,
    controlDir: folder.control,
    ...services.paths,
  });
  writeLaunchFiles(folder, plan.files);
  const plugin = context.config.superpowers.plugin_dir;
  const profile = prepareCell(context, {
    folder,
    place: run.start.place ?? request.worktree,
    isReadOnly: request.isReadOnly,
    isInteractive: request.isInteractive,
    programs: [...filesOf(command), ...services.programs, ...(plugin === null ? [] : [plugin])],
    mounts: services.mounts,
    env: plan.env,
    author: request.author,
  });
  const log = openCappedLog(run.logFile, largestStreamLog);
  const stderr = tailBuffer(stderrTail);
  const decoder = new TextDecoder();
  const cell = spawnCell({
    confinement,
    profile,
    limits: context.limits,
    argv: services.wrap(plan.argv),
    stdin: plan.stdin,
    mark: request.id,
    onStdout: (chunk) => {
      log.write(chunk);
      follow(run, run.reader.push(decoder.decode(chunk, { stream: true })));
    },
    onStderr: stderr.push,
  });
  run.cell = cell;
  register(run);
  const timer = setTimeout(() => {
    run.timedOut = true;
    void cell.stop(timeoutGraceMs);
  }, request.timeoutMs);
  const outcome = cell.ended.then(async (end) => {
    clearTimeout(timer);
    await services.close();
    log.close();
    return conclude(context, run, { plan, end, stderr: stderr.text() });
  });
  return {
    id: request.id,
    pid: cell.pid,
    outcome,
    stop: async (graceMs) => {
      run.stoppedBecause ??= 'stopped';
      await cell.stop(graceMs);
      await outcome;
    },
  };
}

function follow(run: Run, activities: readonly AgentActivity[]): void {
  for (const activity of activities) {
    run.activity = { ...activity, tokens: Math.max(activity.tokens, run.services?.tokens() ?? 0) };
    run.start.onActivity(run.activity);
  }
  if (activities.length > 0) register(run);
  const { limit, unit } = run.request.budget;
  const spent = unit === 'usd' ? run.activity.cost_usd : run.activity.tokens;
  // The gateway refuses the next request by itself; this is for agents that don't go through it.
  if (limit > 0 && spent > limit && !run.adapter.needsModel) endEarly(run, 'budget');
}

function endEarly(run: Run, why: StopReason): void {
  run.stoppedBecause ??= why;
  void run.cell?.stop(timeoutGraceMs);
}

/** At most once a second after the first time: others only look at it now and then. */
function register(run: Run): void {
  const now = performance.now();
  if (run.cell === null || (run.lastRegistered > 0 && now - run.lastRegistered < 1_000)) return;
  run.lastRegistered = now;
  const { request, activity, startedAt, cell } = run;
  writeRegistration(run.folder.root, {
    id: request.id,
    role: request.role,
    task_id: request.task,
    pid: cell.pid,
    pid_start: cell.startedAt,
    started_at: startedAt,
    worktree: request.worktree.path,
    cost_usd: activity.cost_usd,
    tokens: Math.max(activity.tokens, run.services?.tokens() ?? 0),
  });
}

function conclude(
  context: RunnerContext,
  run: Run,
  ended: { readonly plan: Launch; readonly end: CellEnd; readonly stderr: string },
): AgentOutcome {
  const parts = readResult(run, ended);
  run.folder.remove();
  const { startError } = ended.end;
  return {
    failure:
      startError === null
        ? parts.failure
        : {
            kind: 'spawn-failed',
            message: 'The cell of the agent could not be started.',
            details: [startError],
            retryable: false,
          },
    exitCode: ended.end.exitCode,
    answer: parts.answer,
    text: parts.text,
    cost_usd: parts.cost_usd,
    tokens: Math.max(parts.tokens, run.services?.tokens() ?? 0),
    duration_ms: Math.round(performance.now() - run.began),
    audit: summarizeAudit(auditFile(context.repository.commonDir, run.request.id)),
    logFile: run.logFile,
    warnings: parts.warnings,
  };
}

function readResult(
  run: Run,
  { plan, end, stderr }: { readonly plan: Launch; readonly end: CellEnd; readonly stderr: string },
): AgentResultParts {
  const parts = run.reader.finish({
    exitCode: end.exitCode,
    signal: end.signal,
    timedOut: run.timedOut,
    stoppedBecause: run.stoppedBecause,
    stderr,
  });
  if (plan.transcript === null) return parts;
  return { ...parts, ...run.adapter.readTranscript(readText(join(run.folder.home, plan.transcript))) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
