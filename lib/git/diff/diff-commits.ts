import { type ObjectId, objectIdPattern } from '../../domain/ids.ts';
import type { CommitRange, RangeDiffEntry } from '../../domain/ports/git-contents.ts';
import type { DiffStat } from '../../domain/state/changeset.ts';
import type { FileStat, RenamedFile } from '../../domain/state/patch.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';

// Attributes, drivers and settings can blank or disguise a file in a diff; these say no to each of them.
// diff-tree, unlike diff, obeys no diff.* setting of the person either.
export const plainDiffOptions = [
  '-r',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--text',
  '--full-index',
  '--no-relative',
  '--ignore-submodules=none',
  '--submodule=short',
  // Beyond the limit only exact moves are found: the time grows with its square.
  '--find-renames=50%',
  '-l1000',
  '--no-rename-empty',
];
const asPatch = ['-p', '-U3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];

/** Files and lines that differ; a binary file counts as a file without lines, one that moved as one. */
export async function readDiffStat(context: GitContext, base: ObjectId, tip: ObjectId): Promise<DiffStat> {
  const files = await readFileStats(context, base, tip);
  const sum = (key: 'insertions' | 'deletions'): number => files.reduce((total, file) => total + file[key], 0);
  return { files: files.length, insertions: sum('insertions'), deletions: sum('deletions') };
}

/** Counts the lines that differ in each file, in git's order. */
export async function readFileStats(context: GitContext, base: ObjectId, tip: ObjectId): Promise<readonly FileStat[]> {
  const { stdout } = await runGit(context, ['diff-tree', ...plainDiffOptions, '--numstat', '-z', base, tip, '--']);
  const tokens = stdout.toString().split('\0');
  const files: FileStat[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [, insertions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(tokens[at] ?? '') ?? [];
    if (path === undefined) continue;
    const count = { insertions: Number(insertions) || 0, deletions: Number(deletions) || 0 };
    if (path !== '') files.push({ path, ...count });
    else {
      // Moved: both paths follow.
      files.push({ path: tokens[at + 2] ?? '', moved_from: tokens[at + 1] ?? '', ...count });
      at += 2;
    }
  }
  return files;
}

/** How a diff is looked at: options such as `-w`, and the files it is about; none: all. */
export interface DiffOptionsAndPaths {
  readonly options: readonly string[];
  readonly paths: readonly string[];
}

/** The unified diff, whole. */
export async function readDiffBytes(
  context: GitContext,
  base: ObjectId,
  tip: ObjectId,
  { options, paths }: DiffOptionsAndPaths = { options: [], paths: [] },
): Promise<Buffer> {
  const safe = ['-c', 'core.quotePath=true', '-c', 'diff.suppressBlankEmpty=false'];
  const args = [...safe, 'diff-tree', ...plainDiffOptions, ...asPatch, ...options, base, tip, '--', ...paths];
  return (await runGit(context, args)).stdout;
}

/** The unified diff, whole; or its first lines, up to maxBytes, and a last line that says what was cut. */
export async function readDiffText(
  context: GitContext,
  base: ObjectId,
  tip: ObjectId,
  options: { readonly maxBytes?: number } = {},
): Promise<string> {
  const stdout = await readDiffBytes(context, base, tip);
  const limit = options.maxBytes ?? Number.POSITIVE_INFINITY;
  if (stdout.length <= limit) return stdout.toString();
  const end = stdout.lastIndexOf(10, Math.max(0, limit - 1)) + 1;
  return `${stdout.subarray(0, end).toString()}\n[... diff cut here: ${end} of ${stdout.length} bytes shown ...]\n`;
}

// As many as a merge looks at.
const mostPairs = 7_000;

/** Files that git takes for renamed between two commits, by their content, in git's order. */
export async function readRenames(context: GitContext, base: ObjectId, tip: ObjectId): Promise<readonly RenamedFile[]> {
  const asNames = ['-r', '-z', '-M', `-l${mostPairs}`, '--diff-filter=R', '--name-status', '--no-ext-diff'];
  const { stdout } = await runGit(context, ['diff-tree', ...asNames, base, tip, '--']);
  const words = stdout.toString().split('\0');
  const renamed: RenamedFile[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) renamed.push({ from: words[at + 1] ?? '', to: words[at + 2] ?? '' });
  return renamed;
}

/** Pairing takes time that grows with the square of the commits; a range of more gets its files compared alone. */
const mostCommits = 100;

/** Pairs the commits of a range with those of another, by `git range-diff`; null where there are too many to pair. */
export async function pairCommits(
  context: GitContext,
  before: CommitRange,
  now: CommitRange,
): Promise<readonly RangeDiffEntry[] | null> {
  for (const range of [before, now]) {
    const count = await runGitForText(context, ['rev-list', '--count', `^${range.start}`, range.commit, '--']);
    if (Number(count) > mostCommits) return null;
  }
  const { stdout } = await runGit(context, [
    // Its own run of git log shows notes where the person's settings do.
    'range-diff',
    '--no-color',
    '--no-notes',
    '--no-patch',
    '--abbrev=64',
    `${before.start}..${before.commit}`,
    `${now.start}..${now.commit}`,
    '--',
  ]);
  return stdout.toString().split('\n').flatMap(parsePair);
}

const kinds = { '=': 'same', '!': 'changed', '<': 'gone', '>': 'new' } as const;

/** ` 1:  ID ! 2:  ID subject`; a side that has none is `-:  ----`. */
function parsePair(line: string): readonly RangeDiffEntry[] {
  const match = /^\s*(?:-|\d+):\s+(\S+) ([=!<>])\s+(?:-|\d+):\s+(\S+) ?(.*)$/.exec(line);
  if (match === null) return [];
  const [, old = '', sign = '=', made = '', subject = ''] = match;
  const idOf = (text: string): ObjectId | null => (objectIdPattern.test(text) ? (text as ObjectId) : null);
  return [{ kind: kinds[sign as keyof typeof kinds], old: idOf(old), new: idOf(made), subject }];
}
