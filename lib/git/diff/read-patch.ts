import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { Patch, PatchFile, PatchView } from '../../domain/state/patch.ts';
import { errorMessage } from '../../util/error-text.ts';
import { decodeBytesVisibly } from '../../util/file-names.ts';
import { shortId } from '../../util/short-names.ts';
import { type ObjectSource, requireObject } from '../objects/object-source.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { type FileChangeWithoutSize, parseRawDiffLine, readSizesOfBlobs } from './changed-files.ts';
import { type DiffOptionsAndPaths, plainDiffOptions, readDiffBytes } from './diff-commits.ts';
import { type PatchSection, parseHunks, splitPatch } from './split-patch.ts';

/**
 * The patch between two commits, checked against what git counts in another run: the same files in the same order,
 * each with as many lines. Throws FlameError `diff-mismatch` when it isn't so, and nothing of it is shown.
 */
export async function readCheckedPatch(
  context: GitContext,
  objects: ObjectSource,
  { base, tip }: Ends,
  { ignoresSpace, paths = [] }: PatchView,
): Promise<Patch> {
  const options = ignoresSpace ? ['--ignore-all-space'] : [];
  const view = { options, paths };
  const [counted, patch] = await Promise.all([
    readCounts(context, { base, tip }, view),
    readDiffBytes(context, base, tip, view),
  ]);
  const refuse = (why: string): FlameError => mismatch(base, tip, why);
  const files = matchSections(counted, splitOrRefuse(patch, refuse), refuse);
  for (const [index, { change, insertions }] of counted.entries()) {
    if (insertions === null) await requireSameGrowth(objects, change, files[index], refuse);
  }
  const sizes = await readSizesOfBlobs(
    objects,
    counted.map(({ change }) => change),
  );
  return { files: files.map((file) => ({ ...file, size: sizes.get(file.newOid) ?? 0 })) };
}

interface Ends {
  readonly base: ObjectId;
  readonly tip: ObjectId;
}

/** A path with git's own count of its lines. */
interface Counted {
  readonly change: FileChangeWithoutSize;
  readonly movedFrom: PatchFile['movedFrom'];
  /** false: what differs is not shown, so there is no part of the patch either. */
  readonly isShown: boolean;
  /** null where git takes it for binary and counts nothing, even with --text. */
  readonly insertions: number | null;
  readonly deletions: number | null;
}

async function readCounts(
  context: GitContext,
  { base, tip }: Ends,
  { options, paths }: DiffOptionsAndPaths,
): Promise<readonly Counted[]> {
  const args = ['diff-tree', ...plainDiffOptions, '--raw', '--numstat', '-z', ...options, base, tip, '--', ...paths];
  return parseCounts((await runGit(context, args)).stdout);
}

/**
 * All `:modes oids status NUL path NUL` come first, then all `added TAB deleted TAB path NUL`. A moved file has two
 * paths, in its counts as `added TAB deleted TAB NUL path NUL path NUL`.
 */
function parseCounts(output: Buffer): readonly Counted[] {
  const tokens = splitAtNul(output).map(decodeBytesVisibly);
  const raw: { readonly fields: string; readonly from: string; readonly path: string }[] = [];
  let at = 0;
  while (tokens[at]?.startsWith(':')) {
    const [fields = '', from = '', to = ''] = tokens.slice(at, at + 3);
    const isMoved = moved.test(fields);
    raw.push({ fields, from, path: isMoved ? to : from });
    at += isMoved ? 3 : 2;
  }
  const counts = new Map<string, string>();
  while (at < tokens.length) {
    const [count = '', , to = ''] = tokens.slice(at, at + 3);
    const path = /^[^\t]*\t[^\t]*\t/.exec(count)?.[0] ?? '';
    const isMoved = path.length === count.length;
    counts.set(isMoved ? to : count.slice(path.length), count);
    at += isMoved ? 3 : 1;
  }
  return raw.map(({ fields, from, path }) => {
    const count = counts.get(path);
    const [insertions, deletions] = (count ?? '0\t0').split('\t', 2);
    const isBinary = insertions === '-';
    const similarity = moved.exec(fields)?.[1];
    return {
      change: { ...parseRawDiffLine(fields, path), isBinary },
      movedFrom: similarity === undefined ? null : { path: from, similarity: Number(similarity) },
      isShown: count !== undefined,
      insertions: isBinary ? null : Number(insertions),
      deletions: isBinary ? null : Number(deletions),
    };
  });
}

const moved = / R(\d+)$/;

function splitAtNul(output: Buffer): readonly Buffer[] {
  const tokens: Buffer[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    if (end === -1) return [...tokens, output.subarray(at)];
    tokens.push(output.subarray(at, end));
    at = end + 1;
  }
  return tokens;
}

type Refuse = (why: string) => FlameError;

function splitOrRefuse(patch: Buffer, refuse: Refuse): readonly PatchSection[] {
  try {
    return splitPatch(patch);
  } catch (error) {
    throw refuse(errorMessage(error));
  }
}

/** Each path with its part of the patch; two parts where a file became something else, such as a link. */
function matchSections(
  counted: readonly Counted[],
  sections: readonly PatchSection[],
  refuse: Refuse,
): readonly PatchFile[] {
  let next = 0;
  const files = counted.map((count) => {
    const parts = !count.isShown ? 0 : count.change.status === 'type-changed' ? 2 : 1;
    const own = sections.slice(next, next + parts);
    next += parts;
    if (own.length !== parts) throw refuse(`${count.change.path} is missing`);
    return toFile(count, own, refuse);
  });
  if (next !== sections.length) throw refuse(`${sections.length - next} more files than git lists`);
  return files;
}

function toFile({ change, movedFrom, ...count }: Counted, parts: readonly PatchSection[], refuse: Refuse): PatchFile {
  const sum = (pick: (part: PatchSection) => number): number => parts.reduce((total, part) => total + pick(part), 0);
  const insertions = sum((part) => part.insertions);
  const deletions = sum((part) => part.deletions);
  const more = count.insertions === null ? 0 : insertions - count.insertions;
  const fewer = count.deletions === null ? 0 : deletions - count.deletions;
  // git counts lines a file and the link in its place have in common as unchanged, but shows both whole.
  const isEqual = change.status === 'type-changed' ? more === fewer && more >= 0 : more === 0 && fewer === 0;
  if (!isEqual) {
    const read = `+${insertions} -${deletions}`;
    throw refuse(`${change.path} has ${read} lines, git counts +${count.insertions} -${count.deletions}`);
  }
  return {
    ...change,
    movedFrom,
    size: 0,
    insertions,
    deletions,
    hasNul: parts.some(({ hasNul }) => hasNul),
    hunks: () => parts.flatMap(({ body }) => parseHunks(body)),
  };
}

/** Requires that a file git doesn't count lines of grows by the lines that the patch adds more than it removes. */
async function requireSameGrowth(
  objects: ObjectSource,
  change: FileChangeWithoutSize,
  file: PatchFile | undefined,
  refuse: Refuse,
): Promise<void> {
  const lines = async (oid: ObjectId, mode: string): Promise<number> => {
    if (mode === '000000') return 0;
    return countLines((await requireObject(oid, objects.read(oid))).bytes);
  };
  const before = await lines(change.oldOid, change.oldMode);
  const after = await lines(change.newOid, change.newMode);
  const growth = file === undefined ? Number.NaN : file.insertions - file.deletions;
  if (growth !== after - before)
    throw refuse(`${change.path} grows by ${after - before} lines, the patch by ${growth}`);
}

/** A last line without a line break is one too. */
function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; count += 1) {
    const end = bytes.indexOf(10, at);
    at = end === -1 ? bytes.length : end + 1;
  }
  return count;
}

function mismatch(base: ObjectId, tip: ObjectId, why: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'diff-mismatch',
    message: `The diff of ${shortId(base)}..${shortId(tip)} is not shown, because it does not match what git counts: ${why}.`,
    hints: [`git diff --no-ext-diff --no-textconv --text ${base} ${tip}`],
  });
}
