import { openIdents } from '../../git/process/read-identity.ts';
import type { StoreOptions } from '../store-options.ts';

/** The person's `Name <email>` for commits, and the time zone git writes for them. */
export interface CommitIdentity {
  readonly author: string;
  readonly committer: string;
  readonly zone: string;
}

/** Who the person is. Throws FlameError `no-identity` if git doesn't know. */
export async function readCommitIdentity({
  context,
  idents = openIdents(context),
}: Pick<StoreOptions, 'context' | 'idents'>): Promise<CommitIdentity> {
  const [author, committer] = await Promise.all([idents.author(), idents.committer()]);
  return { author: author.name, committer: committer.name, zone: committer.zone };
}
