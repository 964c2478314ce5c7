import { type ObjectId, type RefName, type SessionId, sessionIdPattern } from '../../domain/ids.ts';
import type { Snapshot, UnusableNote } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { UnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { listRefs } from '../notes/read-tips.ts';
import {
  type ExtendedCommitChain,
  emptyCommitChain,
  findUnmergedCommits,
  type KeptCommitChain,
  type KeptCommitChains,
} from './kept-commit-chain.ts';

/** Below it, each session has one ref that leads to every commit the state speaks of, see KeptCommitChains. */
export const keptRefsRoot = 'refs/blueflame/kept/';

/** Root of the commits kept for archived sessions, as far as their base branch doesn't hold them. */
export const archivedKeptRefsRoot = 'refs/blueflame/archive/kept/';

const keptRefsRoots = [keptRefsRoot, archivedKeptRefsRoot];

/** State refs by name, and those that keep commits. */
export type RemoteRefs = ReadonlyMap<string, ObjectId>;

export interface KeptCommitRefMoves {
  /** Refs to move here, before the state names their commits. */
  readonly moves: readonly { readonly ref: RefName; readonly old: ObjectId | null; readonly new: ObjectId }[];
  readonly objects: readonly UnwrittenObject[];
  /** Tip of each ref then, here and on the remote after the push. */
  readonly tips: ReadonlyMap<RefName, ObjectId>;
  /** Refs that are no longer needed, and where they were: what they kept is kept by another. */
  readonly obsolete: {
    readonly here: ReadonlyMap<RefName, ObjectId>;
    readonly there: ReadonlyMap<RefName, ObjectId>;
  };
  /** Commits the state names that neither side has. */
  readonly unknown: readonly ObjectId[];
  readonly received: number;
  readonly sent: number;
  /** Refs of the remote that hold something else. */
  readonly problems: readonly UnusableNote[];
}

interface Parts {
  readonly git: GitContext;
  readonly catFile: CatFile;
  readonly chains: KeptCommitChains;
}

/** The refs of a clone that keep commits. */
export function listKeptCommitRefs(git: GitContext, session = ''): Promise<ReadonlyMap<RefName, ObjectId>> {
  return listRefs(git, ...keptRefsRoots.map((root) => `${root}${session}`));
}

/** Commits kept for one session below a root. */
interface Side {
  /** Value of its ref, of any kind. */
  readonly at: ObjectId | null;
  readonly chain: KeptCommitChain;
}

/**
 * The commits that the other clones need too, accepted work and changesets of sessions that have not ended, and the refs
 * that keep them here and there. What either side keeps stays kept.
 */
export async function planKeptCommitRefs(
  snapshot: Snapshot,
  refs: { readonly local: ReadonlyMap<RefName, ObjectId>; readonly remote: RemoteRefs },
  parts: Parts,
): Promise<KeptCommitRefMoves> {
  const found = new Found();
  const wanted = await wantedCommits(snapshot, parts.catFile);
  const ids = new Set([...sessionsOf(refs.local), ...sessionsOf(refs.remote), ...wanted.bySession.keys()]);
  for (const id of ids) {
    const session = snapshot.sessions.find((one) => one.id === id) ?? null;
    const read = (root: string) => bothSides(root, id, refs, { parts, found });
    const [open, archived] = [await read(keptRefsRoot), await read(archivedKeptRefsRoot)];
    const isArchived = session?.archived_at !== undefined;
    if (isArchived) {
      const all = new Set([...open.here.chain.kept, ...open.there.chain.kept]);
      const isLoose = ({ chain }: Side, commit: ObjectId): boolean => !chain.kept.has(commit);
      const loose = [...all].filter((commit) => isLoose(archived.here, commit) && isLoose(archived.there, commit));
      const left = await findUnmergedCommits(parts.git, loose, session?.base_branch ?? null);
      found.drop(`${keptRefsRoot}${id}` as RefName, open);
      await unite(archivedKeptRefsRoot, id, { ...archived, more: left }, { parts, found });
      continue;
    }
    await unite(archivedKeptRefsRoot, id, { ...archived, more: [] }, { parts, found });
    if (await isCleanedUp(session, open, parts)) continue;
    await unite(keptRefsRoot, id, { ...open, more: wanted.bySession.get(id) ?? [] }, { parts, found });
  }
  return { ...found, unknown: wanted.unknown };
}

/** Collects what comes of the sessions, one after the other. */
class Found {
  readonly moves: { ref: RefName; old: ObjectId | null; new: ObjectId }[] = [];
  readonly objects: UnwrittenObject[] = [];
  readonly tips = new Map<RefName, ObjectId>();
  readonly obsolete = { here: new Map<RefName, ObjectId>(), there: new Map<RefName, ObjectId>() };
  readonly problems: UnusableNote[] = [];
  received = 0;
  sent = 0;

  drop(ref: RefName, { here, there }: Sides): void {
    if (here.at !== null) this.obsolete.here.set(ref, here.at);
    if (there.at !== null) this.obsolete.there.set(ref, there.at);
  }
}

interface Sides {
  readonly here: Side;
  readonly there: Side;
}

interface Finding {
  readonly parts: Parts;
  readonly found: Found;
}

async function bothSides(
  root: string,
  id: SessionId,
  refs: { readonly local: ReadonlyMap<string, ObjectId>; readonly remote: RemoteRefs },
  { parts, found }: Finding,
): Promise<Sides> {
  const ref = `${root}${id}` as RefName;
  const here = await readSide(refs.local, root, id, parts);
  const there = await readSide(refs.remote, root, id, parts);
  const object = there.at;
  if (object !== null && there.chain.tip === null)
    found.problems.push({ ref, object, key: object, message: `${ref} leads to no commit` });
  return { here, there };
}

async function readSide(
  refs: ReadonlyMap<string, ObjectId>,
  root: string,
  id: SessionId,
  { chains }: Pick<Parts, 'chains'>,
): Promise<Side> {
  const at = refs.get(`${root}${id}`) ?? null;
  return { at, chain: (await chains.read(at)) ?? emptyCommitChain };
}

/** Extends a ref to keep the commits of both sides, and more. It extends the remote's, so that no force is needed. */
async function unite(
  root: string,
  id: SessionId,
  { here, there, more }: Sides & { readonly more: readonly ObjectId[] },
  { parts, found }: Finding,
): Promise<void> {
  const ref = `${root}${id}` as RefName;
  const all = new Set([...here.chain.kept, ...there.chain.kept, ...more]);
  if (all.size === 0) return;
  const isAhead = there.chain.tip === null || here.chain.links.has(there.chain.tip);
  const own = [...all].filter((commit) => !there.chain.kept.has(commit));
  const base = own.length > 0 && isAhead ? here.chain : there.chain;
  const longer: ExtendedCommitChain = await parts.chains.extend(id, base, all);
  if (longer.tip === null) return;
  found.objects.push(...longer.objects);
  found.tips.set(ref, longer.tip);
  if (longer.tip !== here.at) found.moves.push({ ref, old: here.at, new: longer.tip });
  found.received += [...there.chain.kept].filter((commit) => !here.chain.kept.has(commit)).length;
  found.sent += [...all].filter((commit) => !there.chain.kept.has(commit)).length;
}

/** Whether a session has ended and its commits have landed here: then they were cleaned up, and are not taken again. */
async function isCleanedUp(
  session: Session | null,
  { here, there }: Sides,
  { git }: Pick<Parts, 'git'>,
): Promise<boolean> {
  if (session?.state !== 'ended' || here.chain.kept.size > 0 || there.chain.kept.size === 0) return false;
  return (await findUnmergedCommits(git, [...there.chain.kept], session.base_branch)).length === 0;
}

async function wantedCommits(
  snapshot: Snapshot,
  catFile: CatFile,
): Promise<{
  readonly bySession: ReadonlyMap<SessionId, readonly ObjectId[]>;
  readonly unknown: readonly ObjectId[];
}> {
  const unknown: ObjectId[] = [];
  const bySession = new Map<SessionId, readonly ObjectId[]>();
  for (const { id, changesets } of snapshot.sessions.filter(({ state }) => state !== 'ended')) {
    const named = new Set([
      ...snapshot.tasksOf(id).flatMap(({ commit }) => commit ?? []),
      ...changesets.map(({ commit }) => commit),
    ]);
    const known = await Promise.all(
      [...named].map(async (oid) => {
        if ((await catFile.info(oid))?.type === 'commit') return [oid];
        unknown.push(oid);
        return [];
      }),
    );
    bySession.set(id, known.flat());
  }
  return { bySession, unknown };
}

/** The sessions whose commits are kept by refs of a clone. */
function sessionsOf(refs: ReadonlyMap<string, ObjectId>): readonly SessionId[] {
  return [...refs.keys()].flatMap((ref): SessionId[] => {
    const root = keptRefsRoots.find((one) => ref.startsWith(one)) ?? ref;
    const session = ref.slice(root.length);
    return sessionIdPattern.test(session) ? [session as SessionId] : [];
  });
}
