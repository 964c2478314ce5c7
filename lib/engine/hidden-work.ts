import type { CellWorktree, GitCells, IgnoredWork, WorkScope } from '../domain/ports/git-cells.ts';
import { showName } from '../util/file-names.ts';
import { formatCount } from '../util/format-figures.ts';
import { hasWildcard, pathMatches } from '../util/path-globs.ts';
import { lockParts } from '../util/path-patterns.ts';
import type { WithGit } from './workshop.ts';

/** Lists the work inside a task's locks that git ignores: no commit would hold it, and no other message reports it. */
export function hiddenWork(
  { git }: WithGit<GitCells>,
  cell: CellWorktree,
  locks: readonly string[],
): Promise<readonly IgnoredWork[]> {
  return git.cellIgnored(cell, scopeOf(locks));
}

function scopeOf(locks: readonly string[]): WorkScope {
  const starts = locks.flatMap(lockParts).map((lock) => {
    const segments = lock.split('/').filter((segment) => segment !== '' && segment !== '.');
    const end = segments.findIndex(hasWildcard);
    return (end < 0 ? segments : segments.slice(0, end)).join('/');
  });
  return {
    covers: (path) => locks.some((lock) => pathMatches(lock, path)),
    names: (path) => starts.some((start) => start === path || start.startsWith(`${path}/`)),
  };
}

/** `dist/bundle.js, by .gitignore:1 (dist/)`. */
export function describeHidden({ entry, files, rule }: IgnoredWork): string {
  const [first = entry, ...others] = files.map(showName);
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'more file')}`;
  return `${first}${more}${rule === null ? '' : `, by ${rule}`}`;
}

/** Why no commit holds it, as a clause. */
export function whyHidden(one: IgnoredWork): string {
  const what = describeHidden(one);
  return one.rule === null
    ? `${what} was put into its worktree and belongs to no commit`
    : `git ignores ${what}`;
}
