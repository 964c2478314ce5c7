import type { ObjectId } from '../../domain/ids.ts';
import { objectIdPattern } from '../../domain/ids.ts';
import type { CommitPairing, CommitRange } from '../../domain/ports/git-contents.ts';
import { type GitContext, gitText, runGit } from '../process/run-git.ts';

/** Pairing takes time that grows with the square of the commits; a range of more gets its files compared alone. */
const mostCommits = 100;

/** Pairs the commits of a range with those of another, by `git range-diff`; null where there are too many to pair. */
export async function pairCommits(
  context: GitContext,
  before: CommitRange,
  now: CommitRange,
): Promise<readonly CommitPairing[] | null> {
  for (const range of [before, now]) {
    const count = await gitText(context, ['rev-list', '--count', `^${range.start}`, range.commit, '--']);
    if (Number(count) > mostCommits) return null;
  }
  const { stdout } = await runGit(context, [
    // Its own run of git log shows notes where the person's settings do.
    'range-diff',
    '--no-color',
    '--no-notes',
    '--no-patch',
    '--abbrev=64',
    `${before.start}..${before.commit}`,
    `${now.start}..${now.commit}`,
    '--',
  ]);
  return stdout.toString().split('\n').flatMap(parsePair);
}

const kinds = { '=': 'same', '!': 'changed', '<': 'gone', '>': 'new' } as const;

/** ` 1:  ID ! 2:  ID subject`; a side that has none is `-:  ----`. */
function parsePair(line: string): readonly CommitPairing[] {
  const match = /^\s*(?:-|\d+):\s+(\S+) ([=!<>])\s+(?:-|\d+):\s+(\S+) ?(.*)$/.exec(line);
  if (match === null) return [];
  const [, old = '', sign = '=', made = '', subject = ''] = match;
  const idOf = (text: string): ObjectId | null => (objectIdPattern.test(text) ? (text as ObjectId) : null);
  return [{ kind: kinds[sign as keyof typeof kinds], old: idOf(old), new: idOf(made), subject }];
}
