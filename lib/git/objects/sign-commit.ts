import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { CommitRequest } from '../../domain/ports/git-commits.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { readSettings } from '../process/settings.ts';
import { signingFailed } from '../process/signing-failed.ts';
import { requireOwnSigner } from '../process/signing-programs.ts';
import { withVariables } from './git-access.ts';

/** Whether the person has their commits signed, where they stand. */
export async function isSigning(context: GitContext): Promise<boolean> {
  return (await readSettings(context)).isTrue('commit.gpgsign');
}

/**
 * Writes a commit as git does, signed by the program and key the person configured. Throws `signing-failed`, and
 * `signing-untrusted` where that program lies in the repository.
 */
export async function signCommit(
  context: GitContext,
  { tree, parents, message, author, authored }: CommitRequest,
): Promise<ObjectId> {
  await requireOwnSigner(context);
  const from = [...new Set(parents)].flatMap((parent) => ['-p', parent]);
  const args = ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', '-S', ...from, '-F', '-', tree];
  const [, name = '', email = ''] = /^(.*?)\s*<([^<>]*)>$/.exec(author ?? '') ?? [];
  const as = {
    ...(author === undefined ? {} : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email }),
    ...(authored === undefined ? {} : { GIT_AUTHOR_DATE: `@${authored} +0000` }),
  };
  const { exitCode, stdout, stderr } = await runGit(withVariables(context, as), args, {
    input: message,
    accept: [0, 1, 128],
  });
  if (exitCode === 0) return parseObjectId(stdout.toString().trim());
  throw signingFailed(
    'git could not sign the commit that is to land, as commit.gpgsign asks for; nothing was landed.',
    {
      details: stderr.split('\n').slice(0, 10),
      hints: ['git commit-tree -S -m test HEAD^{tree}', 'git flame merge', 'git flame review'],
    },
  );
}
