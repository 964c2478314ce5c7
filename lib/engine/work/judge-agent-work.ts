import { parseNotDoneReason, readWorkerNotes } from '../../core/blackboard/parse-notes-in-message.ts';
import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import { selectReasonsOfChanges } from '../../core/task/file-reasons.ts';
import type { AgentPolicy } from '../../domain/agent-policy.ts';
import type { Failure } from '../../domain/failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { AgentOutcome } from '../../domain/ports/agent-port.ts';
import type { CellWorktree, GitCells, IgnoredWork } from '../../domain/ports/git-cells.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { RuleName } from '../../policy/policy-rules.ts';
import { findSecrets } from '../../policy/secrets/find-secrets.ts';
import { renderFileName } from '../../util/file-names.ts';
import { formatCount } from '../../util/format-figures.ts';
import { isInterrupted } from '../graceful-stop.ts';
import { describeViolation } from '../post-check/judge-commits.ts';
import { describeIgnoredWork, listIgnoredWork, whyWorkUncommitted } from '../retention/rescue-worktree.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { findFilteredFilesFailure } from './claim-for-agent.ts';
import { type CollectedWork, collectWork } from './collect-work.ts';
import { type Attempt, type AttemptEnding, leaveWorktreeToPerson } from './record-attempt-ending.ts';

/** Characters of an agent's last message in a reason of one line. */
const maxMessageLength = 400;

/** Facts about an agent that is over. */
type AgentEnding = Pick<AgentOutcome, 'failure' | 'text' | 'notes' | 'cost_usd' | 'tokens' | 'audit'>;

interface EndedWork {
  readonly attempt: Attempt;
  readonly cell: CellWorktree;
  readonly policy: AgentPolicy;
  readonly outcome: AgentEnding;
}

/** Judges an agent's work; commits that pass the post-check are in the repository then, on no branch yet. */
export async function judgeAgentWork(
  context: Pick<RunContext, 'git' | 'now' | 'signal'>,
  { attempt, cell, policy, outcome }: EndedWork,
): Promise<AttemptEnding> {
  // A failed or stopped agent's remains stay in its worktree, untouched, for a person to read.
  if (outcome.failure !== null) return { ...makeFailedEnding(outcome.failure), outcome };
  const { task, adapter, agent, began } = attempt;
  const request = { cell, task, policy, adapter, author: agentIdentity(agent), began };
  const work = await collectWork(context, request).catch(brokenCell);
  const judged = { outcome, isJudged: true };
  switch (work.kind) {
    case 'broken':
      return { ...makeFailedEnding(work.failure), ...judged };
    case 'nothing':
      return { ...makeFailedEnding(nothingDone(attempt, outcome, work)), ...judged };
    case 'violation': {
      const details = work.violations.map((violation) => `[${violation.rule}] ${describeViolation(violation)}`);
      const [first = '', ...others] = details;
      const more = formatCount(others.length, 'more broken rule');
      const message = others.length === 0 ? first : `${first} And ${more}.`;
      const rules = [...new Set(work.violations.map(({ rule }) => rule))];
      return {
        ...makeFailedEnding({ kind: 'violation', message, details, retryable: true, rules }),
        ...judged,
      };
    }
    case 'work': {
      const refusal = await findFilteredFilesFailure(context, cell, work.tip);
      if (refusal !== null) return { ...makeFailedEnding(refusal), ...judged };
      await context.git.importCell(cell, work.tip);
      const left =
        work.leftBehind.length > 0 ? `Left behind, out of scope: ${work.leftBehind.slice(0, 20).join(', ')}` : '';
      const hidden = work.hidden.map(describeIgnoredWork);
      const ignored = notHandedIn(
        'Ignored by git',
        work.hidden.filter(({ rule }) => rule !== null),
      );
      const prepared = notHandedIn(
        'Changed, but provided by the project',
        work.hidden.filter(({ rule }) => rule === null),
      );
      const kept = work.hidden.filter(({ isKept }) => isKept).map(({ entry }) => renderFileName(entry));
      const { words, reasons, ...leftNotes } = readWorkerNotes(outcome);
      const changes = reasons.length === 0 ? [] : await context.git.treeChanges(cell.base, work.tip);
      return {
        failure: null,
        work: { tip: work.tip, cell, leftBehind: [...work.leftBehind, ...kept], hidden },
        leftNotes,
        reasons: selectReasonsOfChanges(reasons, changes).filter(({ text }) => findSecrets(text, null).length === 0),
        notes: [words.slice(0, 2_000), left, ignored, prepared].filter(Boolean).join('\n'),
        ...judged,
      };
    }
  }
}

// More than is looked at, and what a git that looks at it may not take any longer.
const tooMuchCodes = new Set(['cell-too-much', 'cell-git-ended', 'cell-scan-ended']);

/** A worktree whose git folder or objects are of no use is its agent's failure, not the run's. */
function brokenCell(error: unknown): { readonly kind: 'broken'; readonly failure: Failure } {
  if (!(error instanceof FlameError) || !error.code.startsWith('cell-')) throw error;
  const { message, lines: details } = error;
  const rules = tooMuchCodes.has(error.code) ? ['too-much' satisfies RuleName] : [];
  const lines = rules.map((rule) => `[${rule}] ${message}`);
  return {
    kind: 'broken',
    failure: {
      kind: 'violation',
      message: lines[0] ?? message,
      details: [...lines, ...details],
      retryable: error.code !== 'cell-submodule',
      rules,
    },
  };
}

const endedWithout = {
  none: 'It ended without a change inside its scope',
  empty: 'It made only empty commits and ended without a change',
  'taken back': 'Its commits undo each other: it ended without a change',
} as const;

/**
 * Fails without a retry if an agent gives its reason for doing nothing in the form it was asked for: a retry would give
 * the same reason, and a person knows more. Any other last message is no reason, and the task is tried again.
 */
function nothingDone(
  { adapter }: Pick<Attempt, 'adapter'>,
  outcome: AgentEnding,
  { leftBehind, hidden, commits }: Extract<CollectedWork, { readonly kind: 'nothing' }>,
): Failure {
  // Output of a script is no reason.
  const words = adapterTalksToModel(adapter) ? readWorkerNotes(outcome).words : '';
  const said = toOneLine(parseNotDoneReason(words), maxMessageLength);
  const details = [
    ...(words === '' ? [] : [boundText(words)]),
    ...hidden.slice(0, 20).map(describeHiddenWork),
    ...leftBehind.slice(0, 20).map((path) => `left out of scope: ${path}`),
    ...outcome.audit.top,
  ];
  return {
    kind: 'no-commits',
    message: `${endedWithout[commits]}${hidden[0] === undefined ? '' : `: ${whyWorkUncommitted(hidden[0])}`}${said === '' ? '.' : `, and said: ${said}`}`,
    details,
    retryable: said === '',
  };
}

function describeHiddenWork(one: IgnoredWork): string {
  return one.rule === null
    ? whyWorkUncommitted(one)
    : `ignored by git: ${describeIgnoredWork(one)}; git add -f adds it`;
}

/** '' where there is none of that kind. */
function notHandedIn(why: string, hidden: readonly IgnoredWork[]): string {
  return hidden.length === 0 ? '' : `${why}, not handed in: ${hidden.slice(0, 20).map(describeIgnoredWork).join('; ')}`;
}

/** Removes a cell that holds nothing; one with something in it stays for a person to read, until cleanup. */
export async function removeEmptyCell(
  context: WithGit<GitCells>,
  cell: CellWorktree,
  { file_locks: locks }: Pick<Task, 'file_locks'>,
): Promise<void> {
  if (!(await isUntouched(context, cell, locks))) return leaveWorktreeToPerson(context, cell);
  await context.git.discardCell(cell).catch((error: unknown) => {
    if (!isInterrupted(error)) throw error;
  });
}

async function isUntouched(context: WithGit<GitCells>, cell: CellWorktree, locks: readonly string[]): Promise<boolean> {
  try {
    const isMoved = (await context.git.cellHead(cell)) !== cell.start;
    if (isMoved || (await context.git.cellLeftovers(cell)).length > 0) return false;
    return !(await listIgnoredWork(context, cell, locks)).some(({ isKept }) => isKept);
  } catch (error) {
    // One that is not looked at any more because the program was stopped is looked at by the next start.
    if (isInterrupted(error) || (error instanceof FlameError && error.code.startsWith('cell-'))) return false;
    throw error;
  }
}

/** An attempt that came to nothing. */
export function makeFailedEnding(failure: Failure): AttemptEnding {
  return {
    failure,
    work: null,
    notes: '',
    leftNotes: { notes: [], leftOut: 0 },
    reasons: [],
    outcome: { cost_usd: 0, tokens: 0 },
    isJudged: false,
  };
}
