import { parseObjectId } from '../../domain/ids.ts';
import type { WorktreeInfo } from '../../domain/ports/git-port.ts';
import { type GitContext, runGit } from './run-git.ts';

/** All work trees of the repository, the main one (or the bare repository) first. */
export async function listWorktrees(
  context: GitContext,
): Promise<readonly (WorktreeInfo & { readonly isBare: boolean })[]> {
  const { stdout } = await runGit(context, ['worktree', 'list', '--porcelain', '-z']);
  return parseWorktrees(stdout.toString());
}

/** Parses `git worktree list --porcelain -z`: NUL after each attribute, another after each worktree. */
export function parseWorktrees(text: string): readonly (WorktreeInfo & { readonly isBare: boolean })[] {
  return text
    .split('\0\0')
    .filter((record) => record !== '')
    .map((record) => {
      const attributes = new Map(record.split('\0').map(splitAttribute));
      const head = attributes.get('HEAD');
      return {
        path: attributes.get('worktree') ?? '',
        head: head === undefined || /^0+$/.test(head) ? null : parseObjectId(head),
        branch: attributes.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
        isBare: attributes.has('bare'),
      };
    });
}

function splitAttribute(line: string): readonly [string, string] {
  const space = line.indexOf(' ');
  return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}
