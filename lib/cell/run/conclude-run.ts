import { join } from 'node:path';
import type { Failure } from '../../domain/failure.ts';
import { type AgentLaunch, type AgentResultParts, agentNotesFileName } from '../../domain/ports/adapter.ts';
import type { AgentOutcome, StopAgentOrder } from '../../domain/ports/agent-port.ts';
import { readPlainFile, readPlainText } from '../../util/read-file.ts';
import { explainFailureByLimit, explainFailureByTrouble } from '../gateway/model-api-trouble.ts';
import { describeLimit } from '../limits/limits.ts';
import type { CellEnd } from '../sandbox/spawn-cell.ts';
import { auditFile, summarizeAudit } from '../watcher/audit-log.ts';
import { type AgentRunState, chooseRunCost } from './agent-run.ts';
import { readStopAgentOrder } from './end-runs.ts';

/** Bytes; more than any conversation of a planner's. */
const longestTranscript = 256 * 1_024 * 1_024;

/** Judges the run, all its processes being gone. Reads what is in its home, which may be removed after. */
export function concludeRun(
  run: AgentRunState,
  ended: { readonly launch: AgentLaunch; readonly end: CellEnd; readonly stderr: string },
): AgentOutcome {
  // The order of another process; who ordered this one to stop everything is known already.
  const order = run.stoppedBecause === null ? readStopAgentOrder(run.folder.root) : null;
  if (order !== null) run.stoppedBecause = 'stopped';
  const parts = readResult(run, ended);
  const { notes, warnings } = readAgentNotesFile(run.folder.tmp);
  const { exitCode } = ended.end;
  return {
    failure:
      (order === null ? cellFailure(run, ended) : stoppedBy(order)) ??
      explainFailureByTrouble(
        explainFailureByLimit(withoutOwnAddress(run, parts.failure), run.services?.limit() ?? null),
        run.services?.trouble() ?? null,
        run.request.budget,
      ),
    exitCode,
    answer: parts.answer,
    text: parts.text,
    ...(notes === '' ? {} : { notes }),
    cost_usd: chooseRunCost(run, parts.cost_usd),
    // The agent's own figure isn't trusted: the gateway's count is the least.
    tokens: Math.max(parts.tokens, run.services?.tokens() ?? 0),
    duration_ms: Math.round(performance.now() - run.began),
    audit: summarizeAudit(auditFile(run.commonDir, run.request.id)),
    logFile: run.logFile,
    warnings: [...parts.warnings, ...warnings],
  };
}

/** Hides the way out of its cell, which its CLI names as the service: that address means nothing outside. */
function withoutOwnAddress({ services }: Pick<AgentRunState, 'services'>, failure: Failure | null): Failure | null {
  const address = services?.paths?.baseUrl ?? null;
  if (failure === null || address === null) return failure;
  const named = (text: string): string => text.replaceAll(address, '(the model API)');
  return { ...failure, message: named(failure.message), details: failure.details.map(named) };
}

/** Returns the failure that the cell knows better than the adapter; null where the adapter judges. */
function cellFailure(
  { limits, stoppedBecause, timedOut }: AgentRunState,
  { end, stderr }: { readonly end: CellEnd; readonly stderr: string },
): Failure | null {
  if (end.startError !== null) return notStarted(end.startError);
  if (end.limit === null || stoppedBecause !== null || timedOut) return null;
  return {
    kind: 'limit',
    message: `The agent ${describeLimit(end.limit, limits)}.`,
    details: stderr.split('\n').filter(Boolean).slice(-10),
    // With this message, it may do otherwise.
    retryable: true,
  };
}

function stoppedBy({ by, retry }: StopAgentOrder): Failure {
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
  run: AgentRunState,
  { launch, end, stderr }: { readonly launch: AgentLaunch; readonly end: CellEnd; readonly stderr: string },
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
    ...run.adapter.readTranscript(readPlainText(launch.transcript, { root: run.folder.home, most: longestTranscript })),
  };
}

/** More than all notes that are kept of one worker. */
const mostBytes = 64 * 1_024;

/** Reads an agent's file for notes. Only a plain file is read, and no more of it than its beginning. */
export function readAgentNotesFile(tmp: string): {
  readonly notes: string;
  readonly warnings: readonly string[];
} {
  const found = readPlainFile(join(tmp, agentNotesFileName), { most: mostBytes });
  if (found === null) return { notes: '', warnings: [] };
  const { text, size } = found;
  const warnings =
    size > mostBytes ? [`its file for notes has ${size} bytes, and only the first ${mostBytes} are read`] : [];
  return { notes: text, warnings };
}
