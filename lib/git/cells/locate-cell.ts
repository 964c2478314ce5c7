import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realPathOf } from '../../util/path-places.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';
import { type CellPaths, cellPaths } from './paths.ts';
import { addToRecord, type CellRecord } from './record.ts';

/**
 * Finds the worktree of a cell: where it was made, where `git worktree repair` recorded it, or where it came along with
 * a repository that was moved; null: at none of these. A worktree of another repository's cell, as where a repository
 * was copied, doesn't count.
 */
export function locateWorktree(
  commonDir: string,
  id: string,
  { worktree }: Pick<CellRecord, 'worktree'>,
): string | null {
  if (worktree === null) return null;
  const paths = cellPaths(commonDir, id);
  const known = [worktree, dirname(readTextOrEmpty(join(paths.listing, 'gitdir')).trim())];
  const mayBe = (path: string): boolean => existsSync(path) && linkState(paths, path) !== 'of another';
  const came = (path: string): boolean => ['ours', 'broken'].includes(linkState(paths, path));
  return (
    known.find((path) => basename(path) === id && mayBe(path)) ??
    placesAlong(commonDir, worktree).find(came) ??
    null
  );
}

/** Whether the repository was moved since a cell was made. */
export function wasMoved(commonDir: string, { common, worktree }: CellRecord): boolean {
  if (common !== null) return realPathOf(common) !== realPathOf(commonDir);
  // An earlier version made it, in the repository.
  return worktree !== null && !existsSync(dirname(dirname(worktree)));
}

/** Makes what binds a cell to its worktree lead where they are now. What an agent put in the place of a link stays. */
export function repairCell(commonDir: string, id: string, record: CellRecord): void {
  const path = locateWorktree(commonDir, id, record);
  if (path === null) return;
  const paths = cellPaths(commonDir, id);
  const state = linkState(paths, path);
  if (record.worktree === path && state !== 'broken') return;
  for (const folder of [paths.listing, paths.agentGitDir])
    writeFileSync(join(folder, 'gitdir'), `${join(path, '.git')}\n`);
  const link = join(path, '.git');
  const [, tail = ''] = tailOf(id).exec(readLink(link)) ?? [];
  const target = tail.startsWith('/worktrees/')
    ? join(commonDir, tail)
    : join(paths.agentGitDir, tail.replace(/^.*\/git/, ''));
  if (state === 'broken') replaceFile(link, `gitdir: ${target}\n`);
  addToRecord(paths.root, { worktree: path, common: commonDir });
}

/** 'odd': it is no link of any cell of this name. */
function linkState(paths: CellPaths, path: string): 'ours' | 'broken' | 'of another' | 'odd' {
  const text = readLink(join(path, '.git'));
  const [whole, tail = ''] = tailOf(paths.id).exec(text) ?? [];
  if (whole === undefined) return 'odd';
  const common = text.slice('gitdir: '.length, -1 - tail.length);
  if (realPathOf(common) === realPathOf(dirname(dirname(paths.listing))))
    return common === dirname(dirname(paths.listing)) ? 'ours' : 'broken';
  return existsSync(cellPaths(common, paths.id).root) ? 'of another' : 'broken';
}

/** Matches what follows the common git directory in the `.git` of a cell, see leaveToPerson. */
function tailOf(id: string): RegExp {
  const name = id.replace(/[.]/g, '\\.');
  return new RegExp(`(/blueflame/cells/${name}/git|/worktrees/${name}(?:/left-to-nobody)?)\\n$`);
}

/** '' where it is no file of the length of a link. */
function readLink(link: string): string {
  const facts = lstatSync(link, { throwIfNoEntry: false });
  const isLink = facts?.isFile() === true && facts.size < 10_000;
  const text = isLink ? readFileSync(link, 'utf8') : '';
  return text.startsWith('gitdir: /') ? text : '';
}

/** Where a worktree would be that came along: below or beside the repository as it was, or in the folder of now. */
function placesAlong(commonDir: string, worktree: string): readonly string[] {
  const root = dirname(commonDir);
  const names = worktree.split('/').filter((name) => name !== '');
  const ends = names.map((_name, index) => names.slice(index).join('/')).reverse();
  return [
    ...[root, dirname(root)].flatMap((folder) => ends.map((end) => join(folder, end))),
    join(`${root}.trees`, basename(worktree)),
    join(`${commonDir.replace(/\.git$/, '')}.trees`, basename(worktree)),
  ];
}
