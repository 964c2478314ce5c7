import type { ObjectId, RefName } from '../../domain/ids.ts';
import { objectIdPattern, sessionIdPattern } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { unmergedCommits } from './unmerged-commits.ts';

/** Below it, each commit the state speaks of has a ref named after it: nothing to merge, and it never moves. */
export const keptRoot = 'refs/blueflame/commits/';

/** The same for archived sessions, as far as their base branch doesn't hold them. */
export const archivedRoot = 'refs/blueflame/archive/commits/';

interface KeptCommits {
  /** Refs to make here. */
  readonly missing: ReadonlyMap<RefName, ObjectId>;
  /** Refs that are no longer needed: their session is archived. */
  readonly obsolete: { readonly here: ReadonlyMap<RefName, ObjectId>; readonly there: readonly string[] };
  /** Commits the state names that neither side has. */
  readonly unknown: readonly ObjectId[];
}

/** The commits that the other clones need too: accepted work and changesets of sessions that have not ended. */
export async function findKeptCommits(
  snapshot: Snapshot,
  refs: { readonly local: ReadonlyMap<RefName, ObjectId>; readonly remote: RemoteRefs },
  { git, catFile }: { readonly git: GitContext; readonly catFile: CatFile },
): Promise<KeptCommits> {
  const sessions = new Map(snapshot.sessions.map((session) => [session.id as string, session]));
  const sessionOf = (ref: string) => sessions.get(ref.slice(keptRoot.length).split('/')[0] ?? '');
  const isObsolete = (ref: string): boolean =>
    ref.startsWith(keptRoot) && sessionOf(ref)?.archived_at !== undefined;
  const offered = [...refs.remote].filter(
    ([ref, oid]) => isKept(ref, oid) && !isObsolete(ref) && !refs.local.has(ref as RefName),
  );
  const missing = new Map<RefName, ObjectId>();
  const landed = await landedCommits(git, offered, (ref) => {
    const session = ref.startsWith(keptRoot) ? sessionOf(ref) : undefined;
    return session?.state === 'ended' ? session.base_branch : null;
  });
  for (const [ref, oid] of offered) if (!landed.has(ref)) missing.set(ref as RefName, oid);
  const unknown: ObjectId[] = [];
  const wanted = wantedCommits(snapshot).filter(({ ref }) => !refs.local.has(ref) && !missing.has(ref));
  await Promise.all(
    wanted.map(async ({ ref, oid }) => {
      if ((await catFile.info(oid))?.type === 'commit') missing.set(ref, oid);
      else unknown.push(oid);
    }),
  );
  const stays = await onlyKeptHere(
    git,
    { ...refs, missing, isObsolete },
    (ref) => sessionOf(ref)?.base_branch,
  );
  const isFree = (ref: string): boolean => isObsolete(ref) && !stays.has(ref);
  const obsolete = {
    here: new Map([...refs.local].filter(([ref]) => isFree(ref))),
    there: [...refs.remote.keys()].filter(isFree),
  };
  return { missing, obsolete, unknown };
}

/** Refs of archived sessions whose commits neither the archive nor the base branch here holds: nothing else may. */
async function onlyKeptHere(
  git: GitContext,
  {
    local,
    remote,
    missing,
    isObsolete,
  }: {
    readonly local: ReadonlyMap<RefName, ObjectId>;
    readonly remote: RemoteRefs;
    readonly missing: ReadonlyMap<RefName, ObjectId>;
    readonly isObsolete: (ref: string) => boolean;
  },
  baseOf: (ref: string) => string | undefined,
): Promise<ReadonlySet<string>> {
  const isInArchive = (ref: string): boolean => {
    const name = `${archivedRoot}${ref.slice(keptRoot.length)}` as RefName;
    return local.has(name) || missing.has(name) || remote.has(name);
  };
  const loose = [...local].filter(([ref]) => isObsolete(ref) && !isInArchive(ref));
  const landed = await landedCommits(git, loose, (ref) => baseOf(ref) ?? null);
  return new Set<string>(loose.map(([ref]) => ref).filter((ref) => !landed.has(ref)));
}

/** Refs to commits of ended sessions that the base branch here holds: cleaned up, and not taken again. */
async function landedCommits(
  git: GitContext,
  refs: readonly (readonly [string, ObjectId])[],
  baseOf: (ref: string) => string | null,
): Promise<ReadonlySet<string>> {
  const byBase = new Map<string, [string, ObjectId][]>();
  for (const [ref, oid] of refs) {
    const base = baseOf(ref);
    if (base !== null) byBase.set(base, [...(byBase.get(base) ?? []), [ref, oid]]);
  }
  const landed = new Set<string>();
  for (const [base, list] of byBase) {
    const open = new Set(
      await unmergedCommits(
        git,
        list.map(([, oid]) => oid),
        base,
      ),
    );
    for (const [ref, oid] of list) if (!open.has(oid)) landed.add(ref);
  }
  return landed;
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
  const root = [keptRoot, archivedRoot].find((known) => ref.startsWith(known));
  if (root === undefined) return false;
  const [session = '', name = '', ...rest] = ref.slice(root.length).split('/');
  return rest.length === 0 && sessionIdPattern.test(session) && objectIdPattern.test(name) && name === oid;
}

/** State refs by name, and the kept commits. */
export type RemoteRefs = ReadonlyMap<string, ObjectId>;
