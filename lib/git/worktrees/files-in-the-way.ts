import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * Lists untracked files where `from..to` adds a file: that path, or the file that a folder of it would replace.
 * read-tree itself spares untracked files, but would overwrite ignored ones.
 */
export async function filesInTheWay(
  context: GitContext,
  from: ObjectId,
  to: ObjectId,
): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--diff-filter=AD', from, to, '--'];
  const { stdout } = await runGit(context, args);
  const tokens = stdout.toString().split('\0');
  const listed = (letter: string): string[] =>
    tokens.filter((_, index) => index % 2 === 1 && tokens[index - 1] === letter);
  const leaving = new Set(listed('D'));
  return [...new Set(listed('A').flatMap((path) => inTheWay(context.cwd, path, leaving) ?? []))];
}

function inTheWay(workTree: string, path: string, leaving: ReadonlySet<string>): string | null {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const there = lstatSync(join(workTree, part), { throwIfNoEntry: false });
    if (there === undefined) return null;
    if (!there.isDirectory()) return leaving.has(part) ? null : part;
  }
  return listFiles(workTree, path).some((file) => !leaving.has(file)) ? path : null;
}

function listFiles(workTree: string, folder: string): readonly string[] {
  return readdirSync(join(workTree, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(workTree, path) : [path];
  });
}
