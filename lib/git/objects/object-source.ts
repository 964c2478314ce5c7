import { objectMissing } from '../../domain/bad-input.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { type GitGuard, requireGoing } from '../process/limit-git.ts';
import { readLooseAside, readLooseInfo } from './read-loose.ts';

/** Where objects are read by their ids, without starting a git for each. */
export interface ObjectSource {
  /** null where there's no such object. */
  info(oid: ObjectId): Promise<{ readonly type: string; readonly size: number } | null>;
  read(oid: ObjectId): Promise<{ readonly type: string; readonly bytes: Buffer } | null>;
}

interface VerifiedBy {
  /** The repository's. */
  readonly objects: ObjectSource;
  readonly guard: GitGuard;
}

/** The verified objects of a cell (loose, and written by the tool alone: see verify-objects.ts), else the repository's. */
export function verifiedObjects({ objects, guard }: VerifiedBy, intake: string): ObjectSource {
  return {
    info: async (oid) => {
      requireGoing(guard);
      return readLooseInfo(intake, oid) ?? objects.info(oid);
    },
    read: async (oid) => {
      requireGoing(guard);
      return (await readLooseAside(intake, oid)) ?? objects.read(oid);
    },
  };
}

/** An object that must be there. Throws FlameError `object-missing`. */
export async function required<T>(oid: ObjectId, reading: Promise<T | null>): Promise<T> {
  const object = await reading;
  if (object !== null) return object;
  throw objectMissing(`Object ${oid} is not in the repository.`);
}
