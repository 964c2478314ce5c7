import { isUtf8 } from 'node:buffer';
import type { ObjectId } from '../domain/ids.ts';
import { type GitContext, gitText, runGit } from './run-git.ts';

const largest = 1_048_576;

/**
 * Texts of files (for a symbolic link, where it points) in a commit, by path. What is absent, not UTF-8, holds
 * a NUL or is over 1 MiB is left out.
 */
export async function readTexts(
  context: GitContext,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await findBlobs(context, commit, paths);
  if (found.size === 0) return new Map();
  const oids = [...new Set(found.values())];
  const input = oids.map((oid) => `${oid}\n`).join('');
  const { stdout } = await runGit(context, ['cat-file', '--batch=%(objectsize)'], { input });
  const texts = splitBlobs(stdout, oids);
  return new Map(
    [...found].flatMap(([path, oid]) => {
      const text = texts.get(oid);
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

async function findBlobs(
  context: GitContext,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const input = paths.map((path) => `${commit}:${path}\0`).join('');
  const args = ['cat-file', '-z', '--batch-check=%(objecttype) %(objectsize) %(objectname)'];
  let rest = await gitText(context, args, { input });
  const found = new Map<string, string>();
  for (const path of paths) {
    // The question is repeated in such an answer, and may hold a newline.
    const absent = `${commit}:${path} missing`;
    const answer = rest.startsWith(absent) ? absent : (rest.split('\n', 1)[0] ?? '');
    const [type, size, oid = ''] = answer.split(' ');
    if (answer !== absent && type === 'blob' && Number(size) <= largest) found.set(path, oid);
    rest = rest.slice(answer.length + 1);
  }
  return found;
}

/** `size LF content LF` for each blob, in the order asked for. */
function splitBlobs(output: Buffer, oids: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let at = 0;
  for (const oid of oids) {
    const start = output.indexOf(10, at) + 1;
    const end = start + Number(output.toString('latin1', at, start - 1));
    const content = output.subarray(start, end);
    if (isUtf8(content) && !content.includes(0)) texts.set(oid, content.toString());
    at = end + 1;
  }
  return texts;
}
