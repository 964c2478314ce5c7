import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { CommitRequest } from '../../domain/ports/git-commits.ts';
import { readGitSettings } from '../process/git-settings.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { requireSafeSigningProgram, signingFailedError } from '../process/signing-programs.ts';
import { type GitAccess, withVariables } from './git-access.ts';

/** Whether the person has their commits signed, where they stand. */
export async function isCommitSigningOn(context: GitContext): Promise<boolean> {
  return (await readGitSettings(context)).isTrue('commit.gpgsign');
}

/** The parts of a commit; its tree may be named by any revision. */
type CommitParts = Omit<CommitRequest, 'tree'> & { readonly tree: string };

/**
 * Writes a commit in the person's name, in UTF-8; unsigned, since no key may be asked for while agents work. Throws as
 * readGitIdentity.
 */
export async function writeUnsignedCommit(
  access: GitAccess,
  context: GitContext,
  request: CommitParts,
): Promise<ObjectId> {
  const as = withVariables(context, await signatureOf(access, request));
  return parseObjectId(await runGitForText(as, argsOf(request), { input: textOf(request) }));
}

/**
 * Writes a commit as writeUnsignedCommit does, signed by the program and key the person configured. Throws `signing-failed`, and
 * `signing-untrusted` where that program lies in the repository.
 */
export async function writeSignedCommit(
  access: GitAccess,
  context: GitContext,
  request: CommitRequest,
): Promise<ObjectId> {
  await requireSafeSigningProgram(context);
  const as = withVariables(context, await signatureOf(access, request));
  const { exitCode, stdout, stderr } = await runGit(as, argsOf(request, ['-S']), {
    input: textOf(request),
    accept: [0, 1, 128],
  });
  if (exitCode === 0) return parseObjectId(stdout.toString().trim());
  throw signingFailedError(
    'git could not sign the commit that should land, although commit.gpgsign requires it. Nothing was landed.',
    {
      details: stderr.split('\n').slice(0, 10),
      hints: ['git commit-tree -S -m test HEAD^{tree}', 'git flame merge', 'git flame review'],
    },
  );
}

function argsOf({ tree, parents }: CommitParts, options: readonly string[] = []): readonly string[] {
  const from = [...new Set(parents)].flatMap((parent) => ['-p', parent]);
  return ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', ...options, ...from, '-F', '-', tree];
}

function textOf({ message }: CommitParts): string {
  return message.endsWith('\n') ? message : `${message}\n`;
}

/** Who writes and who commits it, for git. */
async function signatureOf(
  { idents }: Pick<GitAccess, 'idents'>,
  { author, authored }: CommitParts,
): Promise<Record<string, string>> {
  const [own, committer] = await Promise.all([idents.author(), idents.committer()]);
  const [name, email] = splitIdent(author ?? own.name);
  const [committerName, committerEmail] = splitIdent(committer.name);
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: committerName,
    GIT_COMMITTER_EMAIL: committerEmail,
    ...(authored === undefined ? {} : { GIT_AUTHOR_DATE: `@${authored} ${own.zone}` }),
  };
}

/** `Name <email>`; git refuses an empty name. */
function splitIdent(ident: string): readonly [name: string, email: string] {
  const [, name = ident, email = ''] = /^(.*?)\s*<([^<>]*)>$/.exec(ident.trim()) ?? [];
  const clean = (text: string): string => text.replace(/[\p{Cc}<>]+/gu, '').trim();
  return [clean(name) || clean(email) || 'unknown', clean(email)];
}
