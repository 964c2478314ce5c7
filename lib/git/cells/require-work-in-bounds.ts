import { setImmediate as pause } from 'node:timers/promises';
import type { CheckedWorkLimits } from '../../domain/config/checked-work-limits.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { shortId } from '../../util/short-names.ts';
import type { ObjectHashFormat } from '../objects/make-object.ts';
import { type ObjectSource, requireObject } from '../objects/object-source.ts';
import { type GitTreeEntry, parseTree } from '../objects/read-tree.ts';

const folderMode = '40000';
const submoduleMode = '160000';
const treesAtOnce = 200;

/** The extent of a difference between two trees. */
interface Extent {
  readonly paths: number;
  readonly bytes: number;
  /** Folders in folders below. */
  readonly depth: number;
}

const nothing: Extent = { paths: 0, bytes: 0, depth: 0 };

interface MeasuredWork {
  readonly start: ObjectId;
  readonly tip: ObjectId;
  /** Whether an object is the agent's own; what the repository already has is not new work. */
  readonly isNew: (oid: ObjectId) => boolean;
}

/**
 * Throws FlameError `cell-too-much` where start..tip is more than `bounds`, before anything is done for each
 * path or commit of it. Each tree is read once, however many others contain it. Returns the commits, the tip
 * first.
 */
export async function requireWorkWithinBounds(
  objects: ObjectSource,
  { start, tip, isNew }: MeasuredWork,
  bounds: CheckedWorkLimits,
): Promise<readonly ObjectId[]> {
  const extents = new Extents(objects, bounds);
  const commits = new Map<ObjectId, Promise<CommitHead>>();
  const head = (oid: ObjectId): Promise<CommitHead> => {
    const known = commits.get(oid) ?? readHead(objects, oid, bounds);
    commits.set(oid, known);
    return known;
  };
  let sum = await extents.between((await head(start)).tree, (await head(tip)).tree);
  requireWithin(sum, bounds);
  const seen = new Set<ObjectId>([tip]);
  for (const oid of seen) {
    if (oid === start || !isNew(oid)) continue;
    if (seen.size > bounds.commits + 1)
      throw workTooLargeError('commits or more', { found: seen.size - 1, most: bounds.commits });
    const { tree, parents } = await head(oid);
    const before = parents[0] === undefined ? null : (await head(parents[0])).tree;
    // The only commit of a task is what was measured already.
    if (oid !== tip || parents[0] !== start) sum = add(sum, await extents.between(before, tree));
    requireWithin(sum, bounds);
    for (const parent of parents) seen.add(parent);
  }
  seen.delete(start);
  return [...seen];
}

function requireWithin({ paths, bytes, depth }: Extent, bounds: CheckedWorkLimits): void {
  if (depth > bounds.depth) throw workTooLargeError('folders in folders', { found: depth, most: bounds.depth });
  if (paths > bounds.paths) throw workTooLargeError('changed paths', { found: paths, most: bounds.paths });
  if (bytes > bounds.bytes) throw workTooLargeError('bytes in changed files', { found: bytes, most: bounds.bytes });
}

interface CommitHead {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
}

// A signature, or the tags a merge names.
const headerBytes = 50_000;

async function readHead(objects: ObjectSource, oid: ObjectId, bounds: CheckedWorkLimits): Promise<CommitHead> {
  const most = bounds.messageBytes;
  const { size } = await requireObject(oid, objects.info(oid));
  if (size > most + headerBytes) throw longMessage(oid, size, most);
  const { bytes } = await requireObject(oid, objects.read(oid));
  const end = bytes.indexOf('\n\n');
  if (end >= 0 && bytes.length - end - 2 > most) throw longMessage(oid, bytes.length - end - 2, most);
  const header = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  return {
    tree: (/^tree ([0-9a-f]+)$/m.exec(header)?.[1] ?? '') as ObjectId,
    parents: [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent as ObjectId),
  };
}

function longMessage(oid: ObjectId, found: number, most: number): Error {
  return workTooLargeError('bytes in one commit message', { found, most, where: shortId(oid) });
}

/** Adds up trees, each and each pair of them once. */
class Extents {
  readonly #objects: ObjectSource;
  readonly #bounds: CheckedWorkLimits;
  readonly #known = new Map<string, Extent>();
  #read = 0;

  constructor(objects: ObjectSource, bounds: CheckedWorkLimits) {
    this.#objects = objects;
    this.#bounds = bounds;
  }

  /** null: there's no tree on that side. */
  async between(before: ObjectId | null, after: ObjectId | null, level = 0): Promise<Extent> {
    if (before === after) return nothing;
    const key = `${before} ${after}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { depth } = this.#bounds;
    if (level > depth) throw workTooLargeError('folders in folders', { found: level, most: depth });
    const [old, now] = [await this.#rows(before), await this.#rows(after)];
    let sum = nothing;
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [left, right] = [old.get(name) ?? null, now.get(name) ?? null];
      if (left?.oid === right?.oid && left?.mode === right?.mode) continue;
      sum = add(sum, await this.#entry(left, right, level));
    }
    this.#known.set(key, sum);
    return sum;
  }

  async #entry(left: GitTreeEntry | null, right: GitTreeEntry | null, level: number): Promise<Extent> {
    const folder = (row: GitTreeEntry | null): ObjectId | null => (row?.mode === folderMode ? row.oid : null);
    const below = await this.between(folder(left), folder(right), level + 1);
    const isFile = (row: GitTreeEntry | null): boolean => row !== null && row.mode !== folderMode;
    const bytes = right !== null && isFile(right) ? await this.#size(right) : 0;
    return {
      paths: below.paths + (isFile(left) || isFile(right) ? 1 : 0),
      bytes: below.bytes + bytes,
      depth: below === nothing ? 1 : below.depth + 1,
    };
  }

  async #size({ mode, oid }: GitTreeEntry): Promise<number> {
    return mode === submoduleMode ? 0 : ((await this.#objects.info(oid))?.size ?? 0);
  }

  async #rows(tree: ObjectId | null): Promise<ReadonlyMap<string, GitTreeEntry>> {
    if (tree === null) return new Map();
    this.#read += 1;
    const { objects } = this.#bounds;
    if (this.#read > objects) throw workTooLargeError('folders to compare', { found: this.#read, most: objects });
    if (this.#read % treesAtOnce === 0) await pause();
    const { bytes } = await requireObject(tree, this.#objects.read(tree));
    return new Map(parseTree(bytes, tree.length / 2).map((row) => [row.name, row]));
  }
}

function add(one: Extent, other: Extent): Extent {
  return {
    paths: one.paths + other.paths,
    bytes: one.bytes + other.bytes,
    depth: Math.max(one.depth, other.depth),
  };
}

/** Makes the error of an agent's work that exceeds a bound: `found` is its size, `most` the bound. */
export function workTooLargeError(
  what: string,
  amount: { readonly found: number; readonly most: number; readonly where?: string },
): FlameError {
  const { found, most, where } = amount;
  const place = where === undefined ? '' : ` (${where})`;
  return new FlameError({
    kind: 'refused',
    code: 'cell-too-much',
    message: `The work has ${inWords(found)} ${what}${place}, but at most ${inWords(most)} can be judged.`,
    details: ['It stays in its worktree. Split it into smaller parts.'],
    data: { what, found, most },
  });
}

function inWords(count: number): string {
  return count > Number.MAX_SAFE_INTEGER ? 'countless' : count.toLocaleString('en-US');
}

// The fields of an entry: gitformat-index(5).
const hashLengths = { sha1: 20, sha256: 32 } as const;
const headerLength = 12;
const statLength = 40;
const sizeAt = 36;

/** Bytes of the largest file that an index of any version names, as it lay on disk. */
export function readLargestFileInIndex(bytes: Buffer, format: ObjectHashFormat): number {
  if (bytes.length < headerLength) return 0;
  const version = bytes.readUInt32BE(4);
  let [at, most] = [headerLength, 0];
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + statLength + hashLengths[format];
    if (flagsAt + 2 > bytes.length) return most;
    most = Math.max(most, bytes.readUInt32BE(at + sizeAt));
    const isExtended = (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    // Version 4 begins a name with how much of the one before it is left out, and pads nothing.
    if (version === 4) while (((bytes[nameAt++] ?? 0) & 0x80) !== 0);
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) return most;
    at = version === 4 ? end + 1 : at + paddedLength(end - at);
  }
  return most;
}

/** At least one NUL ends a name. */
function paddedLength(used: number): number {
  return (used + 8) & ~7;
}
