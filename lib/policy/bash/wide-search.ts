import { judgeName, type PathContext } from '../judge-path.ts';
import { isHeavy, listTree } from '../judge-tree.ts';
import { type Objection, objection } from '../rules.ts';
import { type Follows, judgeFollowed } from './followed-links.ts';

// Who looks for one of these in everything looks for what is blocked.
const telling = /secret|password|token|credential|private|_key|begin /i;

/** Whether a pattern finds lines of one kind: each of its choices holds a letter or digit. Any other may print whole files. */
export function isSpecific(pattern: string): boolean {
  if (telling.test(pattern)) return false;
  const sure = pattern
    .replace(/\[\^?\]?[^\]]*\]/g, '.')
    .replace(/\\[A-Za-z]/g, '.')
    .replace(/.\\?(?:[?*]|\{0?,\d*\\?\})/g, '.');
  return sure.split(/\\?\|/).every((choice) => /[\p{L}\p{N}]/u.test(choice));
}

interface Search {
  readonly places: readonly string[];
  /** Whether a file below a place is looked into, by its path from there. */
  readonly takes?: (below: string) => boolean;
  /** Folders it leaves out. */
  readonly skips?: (name: string) => boolean;
  /** Which links it follows; none without it. */
  readonly follows?: Follows;
}

/** A search that prints what it finds in all files below a folder must not find a blocked one there. */
export function judgeWideSearch(
  context: PathContext,
  { places, takes, skips, follows }: Search,
): Objection | null {
  for (const place of places.length === 0 ? ['.'] : places) {
    const tree = listTree(context, place, { skips: (name) => isHeavy(name) || skips?.(name) === true });
    if (tree === null)
      return objection(
        'path-hidden',
        `${place} holds too much to see whether it is free of hidden files. Name a smaller folder.`,
      );
    for (const { below, kind } of tree) {
      if (below === '' || (kind !== 'directory' && takes?.(below) === false)) continue;
      const found = judgeBelow(context, place, below);
      if (found === null) continue;
      return objection(
        found.rule,
        `A search through all of ${place} would show ${below}, too. ${found.details} Search in the folders you mean, or for a word.`,
      );
    }
  }
  return follows === undefined ? null : judgeFollowed(context, places.length === 0 ? ['.'] : places, follows);
}

function judgeBelow({ policy, cwd }: PathContext, place: string, below: string): Objection | null {
  const folder = place.startsWith('/') ? place : `${cwd}/${place}`;
  const parts: string[] = [];
  for (const segment of `${folder}/${below}`.split('/')) {
    if (segment === '..') parts.pop();
    else if (segment !== '' && segment !== '.') parts.push(segment);
  }
  const path = `/${parts.join('/')}`;
  const isBlocked = path.startsWith(`${policy.worktree}/`);
  return isBlocked ? blockedName({ policy, path: path.slice(policy.worktree.length + 1) }) : null;
}

function blockedName({
  policy,
  path,
}: {
  readonly policy: PathContext['policy'];
  readonly path: string;
}): Objection | null {
  const found = judgeName(policy, path, 'read');
  return found?.rule === 'path-hidden' ? found : null;
}
