import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { realPathOf } from '../../util/path-places.ts';
import { entriesIn } from '../../util/read-file.ts';
import { type ReadFile, readFileOnce, sha256Of } from './file.ts';

const codeEndings =
  /\.(?:(?:ba|z|k|fi)?sh|py|rb|pl|pm|php|lua|[cm]?[jt]sx?|ps1|bat|cmd|awk|jq|mk|tcl|exp|go|json|ya?ml|toml|ejs)$|^[^.]+$/i;
// Not what a clone brings.
const skipped = new Set(['.git', 'node_modules']);

/** A folder as one file: a line for each file in it, with its digest. */
export function readFolderOnce(folder: string, isRead: (name: string) => boolean = () => true): ReadFile {
  const lines = filesBelow(folder, isRead)
    .map((path) => readFileOnce(path))
    .filter((file) => file !== null)
    .map(({ path, sha256, realPath }) => {
      const name = JSON.stringify(relative(folder, path));
      return realPath === path ? `${sha256} ${name}` : `${sha256} ${name} -> ${JSON.stringify(realPath)}`;
    });
  const bytes = Buffer.from(`${lines.sort().join('\n')}\n`);
  return { path: folder, realPath: realPathOf(folder), bytes, sha256: sha256Of(bytes) };
}

/** All that could be run of a repository's files, as one. */
export function readPrograms(root: string): ReadFile {
  return readFolderOnce(root, (name) => codeEndings.test(name));
}

function filesBelow(top: string, isRead: (name: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const waiting = [top]; waiting.length > 0; ) {
    const folder = waiting.pop() ?? top;
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !isWorktree(path)) waiting.push(path);
      } else if (isRead(entry.name) || isExecutable(path)) found.push(path);
    }
  }
  return found;
}

/** Another work tree of this repository, such as an agent's: its files are of no clone. */
function isWorktree(folder: string): boolean {
  try {
    return /^gitdir: .*\/worktrees\//.test(readFileSync(join(folder, '.git'), 'utf8'));
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}
