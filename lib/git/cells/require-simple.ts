import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkBounds } from '../../domain/config/work-bounds.ts';
import { tooMuch } from './too-much.ts';

export interface PatternFile {
  readonly workTree: string;
  /** Its path below that. */
  readonly where: string;
  readonly bounds: WorkBounds;
  /** A file's content when the agent began, as Latin-1; null: none. These lines are not new work. */
  readonly before: (where: string) => Promise<string | null>;
}

/**
 * Throws FlameError `cell-too-much` for patterns that git takes exponentially long for: those with many `**` or `*`,
 * against paths that are deep or names that are long enough.
 */
export async function requireSimple({ workTree, where, bounds, before }: PatternFile): Promise<void> {
  const text = await readStart(join(workTree, where), bounds.patternBytes + 1);
  const problem = problemOf(text, where, bounds);
  if (problem === null) return;
  const old = await before(where);
  const known = new Set(old?.split('\n') ?? []);
  const added = text.split('\n').filter((line) => !known.has(line));
  if (old?.startsWith(text)) return;
  const mine = text.length > bounds.patternBytes ? problem : problemOf(added.join('\n'), where, bounds);
  if (mine !== null) throw mine;
}

function problemOf(text: string, where: string, bounds: WorkBounds): Error | null {
  if (text.length > bounds.patternBytes)
    return tooMuch('bytes of patterns or more', { found: text.length, most: bounds.patternBytes, where });
  for (const line of text.split('\n').filter((one) => !one.startsWith('#'))) {
    const wild = wildInNames(line);
    if (wild > bounds.patternWild)
      return tooMuch('times * inside the names of one pattern', {
        found: wild,
        most: bounds.patternWild,
        where,
      });
    const stars = line.split('**').length - 1;
    if (stars > bounds.patternStars)
      return tooMuch('times ** in one pattern', { found: stars, most: bounds.patternStars, where });
  }
  return null;
}

/**
 * How many runs of `*` are next to other letters: git tries each of them at every place of a name, times the
 * others.
 */
function wildInNames(line: string): number {
  const names = line.trim().split(/[/\s]/);
  return (
    names
      .filter((name) => !/^!?\*+$/.test(name))
      .join('/')
      .match(/\*+/g)?.length ?? 0
  );
}

async function readStart(path: string, length: number): Promise<string> {
  // The file may have become something else since it was listed.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return '';
  try {
    const size = Math.min(length, (await file.stat()).size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file.close();
  }
}
