import { FlameError } from '../domain/flame-error.ts';
import { type GitContext, gitText } from '../git/run-git.ts';

/** The person's `Name <email>` for commits, and the time zone git writes for them. */
export interface Identity {
  readonly author: string;
  readonly committer: string;
  readonly zone: string;
}

/** Asks git who the person is. Throws FlameError `identity-missing` if it doesn't know. */
export async function readIdentity(context: GitContext): Promise<Identity> {
  const [author, committer] = await Promise.all([
    ask(context, 'GIT_AUTHOR_IDENT'),
    ask(context, 'GIT_COMMITTER_IDENT'),
  ]);
  return { author: author.name, committer: committer.name, zone: committer.zone };
}

async function ask(context: GitContext, variable: string): Promise<{ name: string; zone: string }> {
  const text = await gitText(context, ['var', variable]).catch((cause: unknown) => {
    throw cause instanceof FlameError && cause.code === 'git-failed' ? missing(cause) : cause;
  });
  const match = text.match(/^(.* <.*>) \d+ ([+-]\d{4})$/);
  if (match === null) throw missing(new Error(`git var ${variable} answered ${JSON.stringify(text)}`));
  return { name: match[1] ?? '', zone: match[2] ?? '+0000' };
}

function missing(cause: Error): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'identity-missing',
    message: 'git does not know who you are, so changes could not be signed with your name.',
    hints: ['git config --global user.name "Your Name"', 'git config --global user.email you@example.com'],
    cause,
  });
}
