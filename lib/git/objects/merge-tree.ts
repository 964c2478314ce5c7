import { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { MergeResult } from '../../domain/ports/git-commits.ts';
import { gitFailed } from '../process/git-failed.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * Merges two commits without a work tree; the tree is written to the repository. Throws FlameError
 * `unrelated-histories`, or `git-failed` where an object is missing.
 */
export async function mergeTree(context: GitContext, ours: ObjectId, theirs: ObjectId): Promise<MergeResult> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs];
  const result = await runGit(context, args, { accept: [0, 1, 128] });
  if (result.stderr.includes('unrelated histories')) throw unrelated(ours, theirs);
  // Some failures of git 2.39 end with 1 as well, but then nothing is printed.
  if (result.exitCode === 128 || result.stdout.length === 0) throw failed(ours, theirs, result.stderr);
  return parseMerge(result.stdout.toString(), result.exitCode === 0);
}

/** tree NUL, conflicted paths each with NUL, NUL; then messages: count, that many paths, type, text. */
function parseMerge(text: string, isClean: boolean): MergeResult {
  const [first = '', ...tokens] = text.split('\0');
  const tree = parseObjectId(first);
  if (isClean) return { kind: 'clean', tree };
  const end = tokens.indexOf('');
  return {
    kind: 'conflict',
    tree,
    paths: [...new Set(tokens.slice(0, end))],
    messages: parseMessages(tokens.slice(end + 1)),
  };
}

function parseMessages(tokens: readonly string[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at + 2 < tokens.length; ) {
    const type = at + 1 + Number(tokens[at]);
    if (tokens[type]?.startsWith('CONFLICT')) messages.push((tokens[type + 1] ?? '').trim());
    at = type + 2;
  }
  return messages;
}

function unrelated(ours: ObjectId, theirs: ObjectId): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'unrelated-histories',
    message: `${ours} and ${theirs} have no common history, so they can't be merged.`,
    hints: [`git merge-base ${ours} ${theirs}`],
  });
}

function failed(ours: ObjectId, theirs: ObjectId, stderr: string): FlameError {
  return gitFailed(`git merge-tree could not merge ${theirs} into ${ours}.`, {
    hints: ['git fsck'],
    details: stderr.split('\n').slice(0, 10),
  });
}
