import { parseNotDoneReason } from '../../core/blackboard/parse-notes-in-message.ts';
import { boundText } from '../../core/task/bound-text.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity, type ObjectId } from '../../domain/ids.ts';
import type { FinalCheckMessage } from '../../domain/ports/agent-port.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { interruptedError, isInterrupted } from '../graceful-stop.ts';
import { describeViolation } from '../post-check/judge-commits.ts';
import { viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { diagnoseCommit, filterFailedDiagnostics } from '../validate/run-diagnostics.ts';
import { findFilteredFilesFailure } from './claim-for-agent.ts';
import { type CollectRequest, findViolationsInCell, sortLeftovers } from './collect-work.ts';
import type { Attempt } from './record-attempt-ending.ts';

/** Most objections in the message. */
const maxObjections = 20;
/** Lines of a failing diagnostic's output. */
const tailLines = 20;

type Ending = Pick<CollectRequest, 'cell' | 'policy'> & {
  readonly attempt: Attempt;
  /** Aborted once the agent doesn't wait for it any more. */
  readonly signal: AbortSignal;
};

/**
 * Message for an agent that wants to end: what the post-check would refuse of its work now, committed or not, and, if
 * that is nothing, which diagnostics fail on it. null: there are no objections, or they can't be found out; its work is
 * judged after its end in any case.
 */
export async function renderFinalObjections(
  context: RunContext,
  ending: Ending,
  words: string,
): Promise<FinalCheckMessage | null> {
  const { task, agent } = ending.attempt;
  try {
    const found = await findObjections(context, ending, words);
    const about = [...found.objections, ...found.failing.map(firstLine)];
    if (about.length === 0 || ending.signal.aborted) return null;
    const message = context.prompts.lastWord(found);
    context.events.emit({ event: 'last-word', agent, task: task.id, about });
    return { message, about };
  } catch (error) {
    if (!(error instanceof FlameError) && !isInterrupted(error)) throw error;
    // Work that can't be judged is refused after its end, with its own message.
    return null;
  }
}

interface Found {
  readonly objections: readonly string[];
  readonly failing: readonly string[];
}

async function findObjections(
  context: RunContext,
  { attempt, cell, policy, signal }: Ending,
  words: string,
): Promise<Found> {
  const { task, adapter, agent, began, session } = attempt;
  const author = agentIdentity(agent);
  const request: CollectRequest = { cell, task, policy, adapter, author, began };
  const present = await presentTip(context, request);
  const { tip } = present;
  if (tip === cell.start)
    return parseNotDoneReason(words) === '' ? only(['You have changed nothing inside your paths.']) : only([]);
  const violations = await findViolationsInCell(context, request, present);
  const refused = violations.slice(0, maxObjections).map((one) => `[${one.rule}] ${describeViolation(one)}`);
  if (refused.length > 0) return only(refused);
  const filtered = await findFilteredFilesFailure(context, cell, tip);
  if (filtered !== null) return only([filtered.message]);
  // Judged, so it may come in; nothing names it, and what it made of that in the end comes by itself.
  await context.git.importCell(cell, tip);
  const { session: now } = await viewSession(context, session);
  const signalOrTimeout = AbortSignal.any([context.signal, signal]);
  if (signalOrTimeout.aborted) throw interruptedError();
  const runs = await diagnoseCommit({ ...context, signal: signalOrTimeout }, tip, now.base_commit, {
    session,
    words: task.id,
  });
  return { objections: [], failing: filterFailedDiagnostics(runs).map(describeRun) };
}

function only(objections: readonly string[]): Found {
  return { objections, failing: [] };
}

/** Commit that would be handed in if the agent ended now, in its quarantine; its own git doesn't see it. */
async function presentTip(
  { git }: Pick<RunContext, 'git'>,
  request: CollectRequest,
): Promise<{ readonly tip: ObjectId; readonly isOurs: boolean }> {
  const { cell, author } = request;
  const { take, leave } = await sortLeftovers({ git }, request);
  if (take.length === 0) return { tip: await git.cellHead(cell), isOurs: false };
  const commit = await git.rescueCell(cell, {
    message: 'Not committed yet\n',
    author,
    without: leave.map(({ path }) => path),
  });
  return { tip: commit ?? cell.start, isOurs: true };
}

function describeRun({ command, exit_code: code, timed_out: isLate, output }: DiagnosticRun): string {
  const how = isLate ? 'ran out of time' : code === null ? 'was killed' : `ended with ${code}`;
  const tail = output.trimEnd().split('\n').slice(-tailLines).join('\n');
  return boundText(`${command} ${how}${tail === '' ? '' : `:\n${tail}`}`, 4_000);
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? '';
}
