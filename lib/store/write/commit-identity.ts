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
  const asked = [idents.author(), idents.committer()] as const;
  // Both have answered then: whoever asks again after a refusal must not hear the other one's old answer.
  await Promise.allSettled(asked);
  const [author, committer] = await Promise.all(asked);
  return { author: author.name, committer: committer.name, zone: committer.zone };
}
