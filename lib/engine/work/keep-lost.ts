import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity } from '../../domain/ids.ts';
import type { AgentPolicy } from '../../domain/policy.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { shortId } from '../../util/short-names.ts';
import { describeViolation } from '../judge/describe-violation.ts';
import { judgeCommits } from '../judge/judge-commits.ts';
import { keepCommit, rescueName } from '../keep/rescue-refs.ts';
import { unfinished } from '../keep/rescue-worktree.ts';
import type { Workshop } from '../workshop.ts';
import type { Attempt, Ending } from './settle-attempt.ts';

interface Lost {
  /** Result for each commit the agent left again, in words. */
  readonly told: readonly string[];
  /** Some of them may not enter the repository: its worktree and quarantine are all that has them. */
  readonly mustStay: boolean;
}

/**
 * Keeps what an agent had committed and left again as rescues, by the rules of a rescue made unasked: what breaks
 * the rules of its task stays in the quarantine.
 */
export async function keepLost(
  workshop: Workshop,
  { session, task, agent, began }: Attempt,
  { cell, policy }: { readonly cell: CellWorktree; readonly policy: AgentPolicy },
): Promise<Lost> {
  const told: string[] = [];
  let mustStay = false;
  for (const { commit, subject } of await lostOf(workshop, cell)) {
    const violations = await judgeCommits(workshop, {
      start: cell.base,
      tip: commit,
      quarantine: cell.quarantine,
      policy,
      ours: [],
      signer: { identity: agentIdentity(agent), began, now: workshop.now().getTime() },
    });
    const against = violations.filter(({ rule }) => !unfinished.some((one) => one === rule));
    const name = `${shortId(commit)} ${JSON.stringify(subject)}`;
    const [first] = against;
    if (first === undefined) {
      await workshop.git.importCell(cell, commit);
      const ref = await keepCommit(workshop, { session, task: task.id }, commit);
      told.push(`It committed ${name} and left it again: kept as rescue ${rescueName(ref)}`);
    } else {
      mustStay = true;
      told.push(
        `It committed ${name} and left it again: it stays in ${cell.path}, for ${describeViolation(first)}`,
      );
    }
  }
  for (const message of told)
    workshop.events.emit({ event: 'notice', level: 'warning', message: `${task.id}: ${message}` });
  return { told, mustStay };
}

async function lostOf(
  { git }: Pick<Workshop, 'git'>,
  cell: CellWorktree,
): ReturnType<Workshop['git']['cellLost']> {
  try {
    return await git.cellLost(cell);
  } catch (error) {
    // Unreadable commits are reported with the rest of its work.
    if (error instanceof FlameError && error.code.startsWith('cell-')) return [];
    throw error;
  }
}

/** Adds the results for those commits to an ending. */
export function withLost(ending: Ending, { told, mustStay }: Lost, { path }: CellWorktree): Ending {
  if (told.length === 0) return ending;
  const { failure, work } = ending;
  return {
    ...ending,
    failure: failure === null ? null : { ...failure, details: [...told, ...failure.details] },
    work: work === null || !mustStay ? work : { ...work, leftBehind: [...work.leftBehind, path] },
    notes: [ending.notes, ...told].filter(Boolean).join('\n'),
  };
}
