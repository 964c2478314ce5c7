import type { ObjectId, RefName } from '../domain/ids.ts';
import { objectIdPattern, sessionIdPattern } from '../domain/ids.ts';
import type { Snapshot } from '../domain/store-port.ts';
import type { CatFile } from '../git/cat-file.ts';
import type { RemoteRefs } from './sync-remote.ts';

/** Below it, each commit the state speaks of has a ref named after it: nothing to merge, and it never moves. */
export const keptRoot = 'refs/blueflame/commits/';

export interface KeptCommits {
  /** Refs to make here. */
  readonly missing: ReadonlyMap<RefName, ObjectId>;
  /** Commits the state names that neither side has. */
  readonly unknown: readonly ObjectId[];
}

/** The commits that the other clones need too: accepted work and changesets of sessions that have not ended. */
export async function findKeptCommits(
  snapshot: Snapshot,
  refs: { readonly local: ReadonlyMap<RefName, ObjectId>; readonly remote: RemoteRefs },
  catFile: CatFile,
): Promise<KeptCommits> {
  const missing = new Map<RefName, ObjectId>();
  for (const [ref, oid] of refs.remote) {
    if (isKept(ref, oid) && !refs.local.has(ref as RefName)) missing.set(ref as RefName, oid);
  }
  const unknown: ObjectId[] = [];
  const wanted = wantedCommits(snapshot).filter(({ ref }) => !refs.local.has(ref) && !missing.has(ref));
  await Promise.all(
    wanted.map(async ({ ref, oid }) => {
      if ((await catFile.info(oid))?.type === 'commit') missing.set(ref, oid);
      else unknown.push(oid);
    }),
  );
  return { missing, unknown };
}

function wantedCommits(snapshot: Snapshot): readonly { readonly ref: RefName; readonly oid: ObjectId }[] {
  const open = snapshot.sessions.filter(({ state }) => state !== 'ended');
  return open.flatMap(({ id, changesets }) => {
    const commits = [
      ...snapshot.tasksOf(id).flatMap(({ commit }) => commit ?? []),
      ...changesets.map(({ commit }) => commit),
    ];
    return [...new Set(commits)].map((oid) => ({ ref: `${keptRoot}${id}/${oid}` as RefName, oid }));
  });
}

/** Whether a ref of a remote is what its name says. */
function isKept(ref: string, oid: ObjectId): boolean {
  if (!ref.startsWith(keptRoot)) return false;
  const [session = '', name = '', ...rest] = ref.slice(keptRoot.length).split('/');
  return rest.length === 0 && sessionIdPattern.test(session) && objectIdPattern.test(name) && name === oid;
}
