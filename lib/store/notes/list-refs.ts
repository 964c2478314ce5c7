import type { ObjectId, RefName } from '../../domain/ids.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';

/** Refs below any of these prefixes. */
export async function listRefs(
  context: GitContext,
  ...prefixes: readonly string[]
): Promise<ReadonlyMap<RefName, ObjectId>> {
  const { stdout } = await runGit(context, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    ...prefixes,
  ]);
  const rows = stdout
    .toString()
    .split('\n')
    .filter((row) => row !== '');
  return new Map(
    rows.map((row): [RefName, ObjectId] => {
      const space = row.indexOf(' ');
      return [row.slice(space + 1) as RefName, row.slice(0, space) as ObjectId];
    }),
  );
}
