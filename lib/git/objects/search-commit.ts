import { once } from 'node:events';
import type { ObjectId } from '../../domain/ids.ts';
import type { CommitSearch, FoundLine } from '../../domain/ports/git-contents.ts';
import { type GitContext, spawnGit } from '../process/run-git.ts';

/** A pattern can be made so that git takes for ever. */
const limits = { wallMs: 15_000, cpuSeconds: 15, memoryMb: 1_024 };
/** More than anybody reads. */
const mostBytes = 2_000_000;
/** The exit code of git where it found nothing. */
const nothingFound = 1;

/** Looks for a pattern in the text files of a commit; no more is read of the answer than its beginning. */
export async function searchCommit(
  context: GitContext,
  commit: ObjectId,
  { pattern, path, ignoresCase, mostOfFile }: Parameters<CommitSearch>[1],
): ReturnType<CommitSearch> {
  const args = ['grep', '-z', '-n', '-I', '-E', '--no-color', '--no-column', '--full-name', '--no-textconv'];
  const options = [...(ignoresCase ? ['-i'] : []), `--max-count=${mostOfFile}`, '-f', '-', commit];
  const guarded = { ...context, guard: { limits } };
  const place = path === '' ? [] : ['--', path];
  const child = spawnGit(guarded, [...args, ...options, ...place], { GIT_LITERAL_PATHSPECS: '1' });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(0, 2_000);
  });
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined);
  child.stdin.end(pattern);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of child.stdout) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) break;
  }
  child.kill();
  const [exitCode, signal]: [number | null, string | null] = await closed.then(([code, by]) => [code, by]);
  const isCut = length > mostBytes;
  if (!isCut && signal !== null) return { kind: 'too-long' };
  if (!isCut && exitCode !== 0 && exitCode !== nothingFound)
    return { kind: 'bad-pattern', message: said.trim().split('\n')[0] ?? '' };
  return { kind: 'found', lines: linesOf(Buffer.concat(chunks).toString(), commit), isCut };
}

/** `commit:path NUL line NUL text LF`; a last one that was cut off is left out. */
function linesOf(text: string, commit: ObjectId): readonly FoundLine[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((row) => {
    const [name = '', line = '', ...rest] = row.split('\0');
    if (!name.startsWith(`${commit}:`) || !/^\d+$/.test(line)) return [];
    return [{ path: name.slice(commit.length + 1), line: Number(line), text: rest.join('\0') }];
  });
}
