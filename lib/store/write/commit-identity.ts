import { openIdents } from '../../git/process/read-identity.ts';
import type { StoreOptions } from '../store-options.ts';

/** The person's `Name <email>` for commits, and the time zone git writes for them. */
export interface CommitIdentity {
  readonly author: string;
  readonly committer: string;
  readonly zone: string;
}

/** Reads the person's identity. Throws FlameError `no-identity` if git doesn't know it. */
export async function readCommitIdentity({
  context,
  idents = openIdents(context),
}: Pick<StoreOptions, 'context' | 'idents'>): Promise<CommitIdentity> {
  const asked = [idents.author(), idents.committer()] as const;
  // Waits for both: a caller that retries after a refusal must not get an old answer.
  await Promise.allSettled(asked);
  const [author, committer] = await Promise.all(asked);
  return { author: author.name, committer: committer.name, zone: committer.zone };
}
