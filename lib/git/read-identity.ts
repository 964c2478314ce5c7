import { FlameError } from '../domain/flame-error.ts';
import { type GitContext, runGit } from './run-git.ts';

/** `Name <email>` of the person. Throws a FlameError `no-identity` where git knows none. */
export async function readIdentity(context: GitContext): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit(context, ['var', 'GIT_AUTHOR_IDENT'], {
    accept: [0, 128],
  });
  const identity = /^(.*<[^>]*>) \d+ [+-]\d+$/.exec(stdout.toString().trim())?.[1];
  if (exitCode === 0 && identity !== undefined) return identity;
  throw new FlameError({
    kind: 'environment',
    code: 'no-identity',
    message: "git doesn't know who you are, so nothing can be recorded in your name.",
    hints: ['git config --global user.name "Your Name"', 'git config --global user.email you@example.com'],
    details: stderr.split('\n').slice(-1),
  });
}
