import { type ObjectId, parseObjectId, parseRefName } from '../../domain/ids.ts';
import type { RefInfo } from '../../domain/ports/git-port.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/** Refs below a prefix that ends in a slash, sorted by name; those that name no commit are left out. */
export function listRefs(context: GitContext, prefix: string): Promise<readonly RefInfo[]> {
  return eachRef(context, ['--', prefix]);
}

/** The same, of those alone whose history holds a commit. */
export function refsHolding(
  context: GitContext,
  commit: ObjectId,
  prefix: string,
): Promise<readonly RefInfo[]> {
  return eachRef(context, [`--contains=${commit}`, '--', prefix]);
}

/** See GitRefs.refNames. */
export async function refNames(context: GitContext, places: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runGit(context, ['for-each-ref', '--format=%(refname)', '--', ...places]);
  return stdout
    .toString()
    .split('\n')
    .filter((name) => name !== '');
}

async function eachRef(context: GitContext, which: readonly string[]): Promise<readonly RefInfo[]> {
  const format = '%(objecttype) %(objectname) %(refname)';
  const { stdout } = await runGit(context, ['for-each-ref', `--format=${format}`, ...which]);
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [type, commit = '', ref = ''] = line.split(' ');
      return type === 'commit' ? [{ ref: parseRefName(ref), commit: parseObjectId(commit) }] : [];
    });
}
