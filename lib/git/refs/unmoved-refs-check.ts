import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import { fileStamp } from '../../util/read-file.ts';

type Tips = ReadonlyMap<RefName, ObjectId | null>;

interface Reading {
  /** Which file of packed refs there was. */
  readonly packed: string;
  /** Where the refs stood that had no file of their own. */
  readonly elsewhere: Tips;
}

/**
 * Checks in git's own files that refs stand where they stood: to ask git takes ten times as long. It never answers yes
 * for refs that have moved; where the files don't show it, the caller must ask git.
 */
export class UnmovedRefsCheck {
  readonly #commonDir: string;
  #last: Reading | null = null;

  constructor(commonDir: string) {
    this.#commonDir = commonDir;
  }

  /** To be called before git is asked where these refs stand; what is returned, with its answers. */
  begin(refs: readonly RefName[]): (tips: Tips) => void {
    const packed = this.#packedRefs();
    const absent = refs.filter((ref) => !this.#hasFile(ref));
    return (tips) => {
      const elsewhere = new Map(absent.map((ref) => [ref, tips.get(ref) ?? null]));
      this.#last = packed === null ? null : { packed, elsewhere };
    };
  }

  /** Whether all of these refs, which stood there at one moment, still do. */
  areUnmoved(tips: Tips): boolean {
    const last = this.#last;
    if (last === null || this.#packedRefs() !== last.packed) return false;
    return [...tips].every(([ref, tip]) =>
      this.#hasFile(ref)
        ? tip !== null && this.#read(ref) === `${tip}\n`
        : last.elsewhere.has(ref) && last.elsewhere.get(ref) === tip,
    );
  }

  /** Another text after each time git wrote the file; null where refs are kept in tables. */
  #packedRefs(): string | null {
    if (findReftable(this.#commonDir) !== null) return null;
    return fileStamp(join(this.#commonDir, 'packed-refs'));
  }

  #hasFile(ref: RefName): boolean {
    try {
      return lstatSync(join(this.#commonDir, ref), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      // The person made a ref of the name of a folder on the way.
      if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return false;
      throw error;
    }
  }

  #read(ref: RefName): string | null {
    try {
      return readFileSync(join(this.#commonDir, ref), 'latin1');
    } catch {
      // It was packed or removed a moment ago.
      return null;
    }
  }
}

/** The file by which git finds the tables its refs are kept in; null where each ref is a file. */
export function findReftable(commonDir: string): string | null {
  const file = join(commonDir, 'reftable', 'tables.list');
  return existsSync(file) ? file : null;
}

/** The lock that every change of any ref takes there, if there. */
export function findReftableLock(commonDir: string): string | null {
  const file = findReftable(commonDir);
  return file === null ? null : `${file}.lock`;
}
