import { FlameError } from '../../domain/flame-error.ts';
import { type GitContext, runGit } from './run-git.ts';

export interface GitIdentity {
  /** `Name <email>`. */
  readonly name: string;
  /** Time zone, as in `+0200`. */
  readonly zone: string;
}

/** Who commits, as git would write it; each is asked for once. Both throw as readGitIdentity. */
export interface GitIdentities {
  author(): Promise<GitIdentity>;
  committer(): Promise<GitIdentity>;
}

/** Returns the author and committer that git would use in that work tree. */
export function openGitIdentities(context: GitContext): GitIdentities {
  return {
    author: answeredOnce(() => readGitIdentity(context, 'GIT_AUTHOR_IDENT')),
    committer: answeredOnce(() => readGitIdentity(context, 'GIT_COMMITTER_IDENT')),
  };
}

/** Asks again only where there was no answer: the person may mend it meanwhile. */
function answeredOnce(read: () => Promise<GitIdentity>): () => Promise<GitIdentity> {
  let known: Promise<GitIdentity> | null = null;
  return () => {
    known ??= read().catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

/** One of git's two identities, as git would write it. Throws a FlameError `no-identity` where git knows none. */
export async function readGitIdentity(
  context: GitContext,
  variable: 'GIT_AUTHOR_IDENT' | 'GIT_COMMITTER_IDENT',
): Promise<GitIdentity> {
  const { exitCode, stdout, stderr } = await runGit(context, ['var', variable], { accept: [0, 128] });
  const [, name, zone] = /^(.*<[^>]*>) \d+ ([+-]\d+)$/.exec(stdout.toString().trim()) ?? [];
  if (exitCode === 0 && name !== undefined && zone !== undefined) return { name, zone };
  throw new FlameError({
    kind: 'environment',
    code: 'no-identity',
    message: "git doesn't know who you are, so nothing can be recorded in your name.",
    hints: ['git config --global user.name "Your Name"', 'git config --global user.email you@example.com'],
    details: stderr.split('\n').slice(-1),
  });
}
