import { landingBranch } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Session } from '../../domain/state/session.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/**
 * The session with the branch its approved work lands on: what it landed on before, else what the configuration
 * says now. Once something has landed on a branch of its own, the rest does too.
 */
export function destinedFor({ config }: Pick<Workshop, 'config'>, session: Session): Session {
  if (session.landing !== undefined || config.project.landing === 'base') return session;
  const branch = landingBranch(config, session.id);
  return { ...session, landing: { branch, from: session.base_commit, pull_request: null } };
}

/** Entry of a session's note about its landing branch; empty before there is one. */
export function landingOf({ landing }: Session): Pick<Session, 'landing'> {
  return landing === undefined ? {} : { landing };
}

/**
 * A branch that already exists may hold other work: it is not moved. Throws FlameError
 * `landing-branch-exists`.
 */
export async function requireFreeName(
  workshop: WithGit<GitCommits>,
  session: Session,
  destined: Session,
): Promise<void> {
  const branch = landsOn(destined);
  if (branch === landsOn(session)) return;
  if ((await workshop.git.resolveCommit(`refs/heads/${branch}`)) === null) return;
  throw landingBranchExists(branch);
}

/** Error for a new landing branch whose name exists already: it may hold other work. */
export function landingBranchExists(branch: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'landing-branch-exists',
    message: `The work of this session is to land on a new branch ${branch}, but there is one of that name.`,
    hints: [
      `git branch -m ${shellQuote(branch)} ${shellQuote(`${branch}-old`)}`,
      'Or set project.landing_branch in .blueflame.yml, then: git flame review',
    ],
  });
}
