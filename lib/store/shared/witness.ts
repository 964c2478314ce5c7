import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import { type Breach, breachSchema, isProof } from '../../domain/state/breach.ts';
import { makeObject, type NewObject } from '../../git/objects/make-object.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { RefCommand, RefTransactions } from '../../git/refs/ref-transaction.ts';
import { listRefs } from '../notes/list-refs.ts';
import { machinesRoot, stateRoot } from '../sync/remote.ts';
import { renderCommit } from '../write/apply-change.ts';
import type { ChangeContext } from '../write/note-write.ts';
import { leadsRoot } from './lead-record.ts';

const witnessRoot = 'refs/blueflame-witness/';
// A machine that does nothing else would fill the repository; what it did before stays to be seen. Beyond that
// what is kept is the first proof against each key: whom not to believe is never forgotten.
const mostKept = 200;
const maxBytes = 10_000;

/** Up to where a clone has judged what machines did on a ref of a remote: its own, nobody shares it. */
export function witnessRef(remote: string, ref: string): RefName {
  return `${witnessRoot}${remote}/${ref.slice(stateRoot.length)}` as RefName;
}

function breachesRef(remote: string, session: string): RefName {
  return `${witnessRoot}${remote}/breaches/${session}` as RefName;
}

/** By the refs of the remote: up to where each was judged, with those of the machines of one session. */
export async function readWitness(
  context: GitContext,
  remote: string,
  session: SessionId,
): Promise<ReadonlyMap<string, ObjectId>> {
  const root = `${witnessRoot}${remote}/`;
  const refs = await listRefs(context, root);
  const named = [...refs].map(([ref, tip]) => [`${stateRoot}${ref.slice(root.length)}`, tip] as const);
  const isOther = (ref: string): boolean =>
    (ref.startsWith(machinesRoot) && !ref.startsWith(`${machinesRoot}${session}/`)) ||
    (ref.startsWith(leadsRoot) && ref !== `${leadsRoot}${session}`);
  return new Map(named.filter(([ref]) => !isOther(ref) && !ref.startsWith(`${stateRoot}breaches/`)));
}

/** Moves those refs; false: another process of this clone did, and nothing was moved. */
export async function moveWitness(
  refs: RefTransactions,
  remote: string,
  {
    before,
    after,
  }: { readonly before: ReadonlyMap<string, ObjectId>; readonly after: ReadonlyMap<string, ObjectId> },
): Promise<boolean> {
  const moves = [...after].flatMap(([ref, tip]): RefCommand[] => {
    const old = before.get(ref) ?? null;
    return old === tip ? [] : [{ ref: witnessRef(remote, ref), old, new: tip }];
  });
  return moves.length === 0 || (await refs.run(moves)).kind === 'done';
}

/**
 * Forgets the signs of life of other sessions, which nobody compares any more, and evidence of those that are not at hand:
 * nothing is done in them again.
 */
export async function forgetOthers(
  context: GitContext,
  refs: RefTransactions,
  {
    remote,
    session,
    atHand,
  }: { readonly remote: string; readonly session: SessionId; readonly atHand: ReadonlySet<string> },
): Promise<void> {
  const own = witnessRef(remote, `${machinesRoot}${session}/`);
  const signs = await listRefs(context, witnessRef(remote, machinesRoot));
  const evidence = await listRefs(context, breachesRef(remote, ''));
  const isPast = (ref: string): boolean => !atHand.has(ref.slice(breachesRef(remote, '').length));
  const leads = await listRefs(context, witnessRef(remote, leadsRoot));
  const gone = [
    ...[...leads].filter(([ref]) => !atHand.has(ref.slice(witnessRef(remote, leadsRoot).length))),
    ...[...signs].filter(([ref]) => !ref.startsWith(own)),
    ...[...evidence].filter(([ref]) => isPast(ref)),
  ];
  if (gone.length > 0) await refs.run(gone.map(([ref, old]): RefCommand => ({ ref, old, new: null })));
}

/** What was seen of a session and kept, oldest first. Opens git for it. */
export async function listBreaches(
  { context, commonDir }: { readonly context: GitContext; readonly commonDir: string },
  { remote, session }: { readonly remote: string; readonly session: string },
): Promise<readonly Breach[]> {
  const catFile = new CatFile(context, commonDir);
  try {
    return await readKept(catFile, { remote, session });
  } finally {
    await catFile.close();
  }
}

/** The same with a git that is there. */
export async function readKept(
  catFile: CatFile,
  { remote, session }: { readonly remote: string; readonly session: string },
): Promise<readonly Breach[]> {
  const tip = (await catFile.info(breachesRef(remote, session)))?.oid ?? null;
  return tip === null ? [] : readBreaches(catFile, tip);
}

async function readBreaches(catFile: CatFile, tip: ObjectId): Promise<readonly Breach[]> {
  const found: Breach[] = [];
  for (let at: ObjectId | null = tip; at !== null; ) {
    const text: string = (await catFile.read(at))?.bytes.subarray(0, maxBytes).toString() ?? '';
    const [header = '', , ...body] = text.split('\n\n');
    const breach = parseBreach(body.join('\n\n'));
    if (breach !== null) found.push(breach);
    const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent as ObjectId);
    // The first parent is the one before it, the other what it is about; the first of all has the latter alone.
    at = parents.length > 1 ? (parents[0] ?? null) : null;
  }
  return found.reverse();
}

function parseBreach(text: string): Breach | null {
  try {
    return breachSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Where evidence is written. */
export interface EvidenceParts {
  readonly catFile: CatFile;
  readonly refs: RefTransactions;
  readonly write: (objects: readonly NewObject[]) => Promise<void>;
  readonly change: ChangeContext;
}

/**
 * Keeps what was seen: a commit each, on the one before it, with the commit that did it as its second parent, which so
 * outlives whatever becomes of the ref it was on. Answers those that were not kept before.
 */
export async function keepBreaches(
  { catFile, refs, write, change }: EvidenceParts,
  { remote, session }: { readonly remote: string; readonly session: string },
  breaches: readonly Breach[],
): Promise<readonly Breach[]> {
  const ref = breachesRef(remote, session);
  const old = (await catFile.info(ref))?.oid ?? null;
  const known = old === null ? [] : await readBreaches(catFile, old);
  const names = new Set(known.map(nameOf));
  const fresh = breaches.filter((one) => !names.has(nameOf(one)));
  const objects: NewObject[] = [];
  let tip = old;
  for (const breach of worthKeeping(fresh, known)) {
    const tree = makeObject(change.objectFormat, 'tree', '');
    const subject = `${breach.task ?? breach.machine ?? 'session'}: ${breach.what}`.slice(0, 200);
    const message = `${subject}\n\n${JSON.stringify(breach, null, 2)}\n`;
    const parents = [...(tip === null ? [] : [tip]), breach.commit as ObjectId];
    const made = makeObject(change.objectFormat, 'commit', renderCommit(tree.oid, parents, message, change));
    objects.push(tree, made);
    tip = made.oid;
  }
  if (tip !== null && tip !== old) {
    await write(objects);
    await refs.run([{ ref, old, new: tip }]);
  }
  return fresh;
}

function worthKeeping(fresh: readonly Breach[], known: readonly Breach[]): readonly Breach[] {
  const proven = new Set(known.filter(isProof).map(({ key }) => key));
  let count = known.length;
  return fresh.filter((breach) => {
    const isFirst = breach.key !== null && isProof(breach) && !proven.has(breach.key);
    if (count >= mostKept && !isFirst) return false;
    if (isProof(breach)) proven.add(breach.key);
    count += 1;
    return true;
  });
}

function nameOf({ commit, kind, task, what }: Breach): string {
  return JSON.stringify([commit, kind, task, what]);
}
