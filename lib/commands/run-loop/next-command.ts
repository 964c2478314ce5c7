import { isClaimedByPerson } from '../../core/schedule/claimable-tasks.ts';
import { chooseNextAction, isClaimedByHand, type SessionAction } from '../../core/schedule/next-action.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { AdmittedSession } from '../../domain/ports/store-port.ts';
import { findLandingBranch, findPendingCheckout } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandName } from '../../domain/view-models/command.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { unreachable } from '../../util/unreachable.ts';

/** A session and its tasks, with nothing in them that only another clone decided. */
export type NextCommandFacts = Pick<AdmittedSession, 'session' | 'tasks' | 'received' | 'isOurs'>;

/**
 * The person's next command, whole; null when nothing is left to do. `place`: this clone, as machines name it; where it
 * isn't given, as if it led.
 */
export function chooseNextCommand(
  standing: NextCommandFacts | null,
  person: string | null,
  place: string | null = null,
): string | null {
  if (standing === null) return "git flame run 'What you want done'";
  const { tasks } = standing;
  const action = chooseNextAction({ ...standing, maxCycles: Number.POSITIVE_INFINITY });
  if (action.kind === 'wait') {
    const own = person === null ? undefined : action.tasks.find((task) => isClaimedByPerson(task, person));
    return own === undefined ? `git flame show ${action.tasks[0]?.id ?? ''}` : `git flame task submit ${own.id}`;
  }
  if (action.kind === 'end' || action.kind === 'left-over') return afterEnd(tasks);
  const command = commandOfAction(action);
  if (command === null) return null;
  // A run that a person stopped continues as a run, at any wave.
  return commandOnThisMachine(standing.session, place, standing.session.state === 'stopped' ? 'run' : command);
}

/**
 * The command that does a wave of a session where it is decided: in one that machines share none goes by itself, it is led
 * or joined.
 */
export function commandOnThisMachine(
  { machines, state }: Pick<Session, 'machines' | 'state'>,
  place: string | null,
  wave: CommandName,
): string {
  if (machines === undefined || state === 'ended') return `git flame ${wave}`;
  const isLed = place === null || place === machines.lead;
  return isLed ? 'git flame run' : `git flame work --join ${shellQuote(machines.remote)}`;
}

/** The person here, where a claim by hand makes the next command theirs. null where git knows no name. */
export async function personWithClaims(git: GitPort, tasks: readonly Task[]): Promise<string | null> {
  return tasks.some(isClaimedByHand) ? git.identity().catch(() => null) : null;
}

/** The command for a task that failed for good: its story shows how to continue. */
function afterEnd(tasks: readonly Task[]): string | null {
  const failed = tasks.find(({ status }) => status === 'failed');
  return failed === undefined ? null : `git flame show ${failed.id}`;
}

/**
 * The command that performs an action; null when nothing is left, or another process or person is at work.
 */
export function commandOfAction(action: SessionAction): CommandName | null {
  switch (action.kind) {
    case 'plan':
    case 'work':
    case 'validate':
    case 'merge':
    case 'review':
      return action.kind;
    case 'accept':
    case 'end-cycle':
      return 'work';
    case 'wait':
    case 'left-over':
    case 'end':
      return null;
    default:
      return unreachable(action);
  }
}

/** The command that updates work trees after a landing. */
export const syncWorktreesCommand = 'git flame resume';

/**
 * A warning that work trees of this clone may hold the files from before a landing, as a kill right after it leaves
 * them; null: they don't.
 */
export function warnOfStaleWorktrees(session: Session, place: string): string | null {
  const checkout = findPendingCheckout({ place }, session);
  if (checkout === null) return null;
  const branch = findLandingBranch(session);
  return `${branch} is at ${shortId(checkout.to)}, but its checkout may still have the files from before the landing: ${syncWorktreesCommand} updates them. A commit of yours before that would undo the landing.`;
}
