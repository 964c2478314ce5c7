import type { ObjectId } from '../../domain/ids.ts';
import { splitNames } from '../../util/file-names.ts';
import { type GitContext, runGit, spawnGit } from '../process/run-git.ts';

/** Tracked paths of a commit in git's order, at most `limit`; git is ended as soon as they are read. */
export async function listFiles(
  context: GitContext,
  commit: ObjectId,
  limit: number,
): Promise<readonly string[]> {
  const child = spawnGit(context, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]);
  child.stderr.resume();
  child.stdin.end();
  const paths: string[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    const parts = splitNul(Buffer.concat([rest, chunk]));
    rest = parts.rest;
    paths.push(...parts.whole);
    if (paths.length >= limit) break;
  }
  child.kill();
  return paths.slice(0, limit);
}

function splitNul(buffer: Buffer): { readonly whole: readonly string[]; readonly rest: Buffer<ArrayBuffer> } {
  const end = buffer.lastIndexOf(0);
  const whole = buffer.toString('utf8', 0, Math.max(0, end));
  return { whole: end < 0 ? [] : whole.split('\0'), rest: Buffer.from(buffer.subarray(end + 1)) };
}

/** See GitFiles.pathsIn: read as plain names, in whichever Unicode form the commit has them. */
export async function pathsIn(
  context: GitContext,
  commit: ObjectId,
  paths: readonly string[],
): Promise<readonly string[]> {
  const asked = new Set(paths.flatMap((path) => [path, path.normalize('NFD')]));
  // Each name apart: of a folder and what is in it, asked together, git names only the latter.
  const rows = await Promise.all(
    [...asked].map(async (path) => {
      const list = ['ls-tree', '-z', '--name-only', '--full-tree', commit, '--', path];
      return splitNames((await runGit(context, list)).stdout);
    }),
  );
  const found = new Set(rows.flat().map((path) => path.normalize('NFC')));
  return paths.filter((path) => found.has(path.normalize('NFC')));
}
