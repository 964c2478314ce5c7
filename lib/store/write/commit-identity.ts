import { readIdent } from '../../git/process/read-identity.ts';
import type { GitContext } from '../../git/process/run-git.ts';

/** The person's `Name <email>` for commits, and the time zone git writes for them. */
export interface CommitIdentity {
  readonly author: string;
  readonly committer: string;
  readonly zone: string;
}

/** Asks git who the person is. Throws FlameError `no-identity` if it doesn't know. */
export async function readCommitIdentity(context: GitContext): Promise<CommitIdentity> {
  const [author, committer] = await Promise.all([
    readIdent(context, 'GIT_AUTHOR_IDENT'),
    readIdent(context, 'GIT_COMMITTER_IDENT'),
  ]);
  return { author: author.name, committer: committer.name, zone: committer.zone };
}
