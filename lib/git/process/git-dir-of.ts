import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { realPathOf } from '../../util/path-places.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';

/** Where the `.git` of a folder really is or leads; null: there is none, or git would find no repository by it. */
export function gitDirOf(folder: string): string | null {
  const git = join(folder, '.git');
  const facts = statSync(git, { throwIfNoEntry: false });
  if (facts?.isDirectory() === true) return realPathOf(git);
  const [, target] = (facts?.isFile() === true && /^gitdir: (.+)\n?$/.exec(readTextOrEmpty(git))) || [];
  return target === undefined ? null : realPathOf(resolve(folder, target));
}
