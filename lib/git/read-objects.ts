import type { ObjectId } from '../domain/ids.ts';
import type { Quarantine } from '../domain/ports/git-cells.ts';
import { verifyObjects } from './cells/verify-objects.ts';
import { onVerified } from './cells/view.ts';
import { type GitAccess, onObjects } from './objects/git-access.ts';
import { type ObjectSource, verifiedObjects } from './objects/object-source.ts';
import type { GitContext } from './process/run-git.ts';

/** Opens a commit for reading: git, and its objects one by one. Throws the FlameErrors of verifyObjects. */
export type ReadObjects = (tip: ObjectId, quarantine?: Quarantine) => Promise<[GitContext, ObjectSource]>;

/** Objects of a quarantine are read after they were verified, from where the agent can't change them. */
export function objectReader(access: GitAccess): ReadObjects {
  const objects = onObjects(access);
  return async (tip, quarantine) => {
    if (quarantine === undefined) return [objects, access.objects];
    const intake = await verifyObjects(access, quarantine, tip);
    return [onVerified(access, intake), verifiedObjects(access, intake)];
  };
}
