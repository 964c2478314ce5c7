import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { ValidationNote } from '../../domain/state/verdict.ts';
import type { UnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import type { RefState } from '../notes/indexed-state.ts';
import {
  anchorsFolder,
  findNotesByKey,
  listAnchorsInFolder,
  listNotes,
  type TreeEdit,
  type TreeNode,
} from '../notes/note-tree.ts';
import type { StoredNote } from '../notes/stored-note.ts';
import type { StoreOptions } from '../store-options.ts';
import { type ChangeContext, editNoteTreeChecked, renderStateCommit } from '../write/apply-change.ts';
import { type NonStateAuditEntry, renderAuditMessage } from '../write/audit-entry.ts';
import { emptyCommitChain, findUnmergedCommits, KeptCommitChains } from '../write/kept-commit-chain.ts';
import { archivedKeptRefsRoot, keptRefsRoot, listKeptCommitRefs } from '../write/kept-commits.ts';
import type { RefPublication } from '../write/ref-publisher.ts';

type Root<T> = TreeNode<StoredNote<T>> | null;
type Edits<T> = readonly TreeEdit<StoredNote<T>>[];

/** Notes of an archived session on one ref, and the edits that remove them. */
export interface ArchivableNotes<T> {
  readonly notes: readonly StoredNote<T>[];
  /** False: a note is missing, there twice or can't be read, so that moving it could lose it. */
  readonly isWhole: boolean;
  readonly removal: Edits<T>;
}

/** The anchors of what belongs to a session. */
export function findAnchorsOfSession<T>(root: Root<T>, session: SessionId): Root<T> {
  return root?.entries.get(anchorsFolder)?.tree?.entries.get(session)?.tree ?? null;
}

/** The tasks of a session, by its anchors. */
export function findTaskNotesOfSession<T>(root: Root<T>, session: SessionId): ArchivableNotes<T> {
  const folder = findAnchorsOfSession(root, session);
  const found = gatherNotes(
    root,
    [...(folder?.entries.values() ?? [])].map(({ oid }) => oid),
  );
  if (folder === null) return found;
  return { ...found, removal: [...found.removal, { path: [anchorsFolder, session], entry: null }] };
}

/** Finds the notes for later tasks of a session, by its anchors; only pages whose key `isSelected` accepts. */
export function findPageNotesOfSession<T>(
  root: Root<T>,
  session: SessionId,
  isSelected: (key: ObjectId) => boolean = () => true,
): ArchivableNotes<T> & {
  readonly anchors: readonly { readonly path: readonly string[]; readonly key: ObjectId }[];
} {
  const anchors = listAnchorsInFolder(findAnchorsOfSession(root, session), [session], isSelected).map(
    ({ name, key }) => ({ path: name.split('/'), key }),
  );
  const found = gatherNotes(
    root,
    anchors.map(({ key }) => key),
  );
  const unlinked = anchors.map(({ path }) => ({ path: [anchorsFolder, ...path], entry: null }));
  return { ...found, anchors, removal: [...found.removal, ...unlinked] };
}

/** The verdicts on commits that only archived sessions judged. */
export function findArchivedValidationNotes(
  root: Root<ValidationNote>,
  isArchived: (session: SessionId) => boolean,
): ArchivableNotes<ValidationNote> {
  const notes = [...listNotes(root)].filter(({ key, value }) => {
    const verdicts = value?.verdicts ?? [];
    const isJudgedByThem = verdicts.length > 0 && verdicts.every(({ session }) => isArchived(session));
    return isJudgedByThem && findNotesByKey(root, key).length === 1;
  });
  return gatherNotes(
    root,
    notes.map(({ key }) => key),
  );
}

function gatherNotes<T>(root: Root<T>, keys: readonly ObjectId[]): ArchivableNotes<T> {
  const places = keys.map((key) => findNotesByKey(root, key));
  const notes = places.flatMap((found) => found.map(({ note }) => note));
  return {
    notes,
    isWhole: places.every((found) => found.length === 1) && notes.every(({ value }) => value !== null),
    removal: keys.flatMap((key) => removeNotes(root, key)),
  };
}

/** The edits that remove the notes under a key. */
export function removeNotes<T>(root: Root<T>, key: string): Edits<T> {
  return findNotesByKey(root, key).map(({ path }) => ({ path, entry: null }));
}

interface Subject {
  readonly id: SessionId;
  readonly session: Session | null;
  readonly tasks: readonly StoredNote<Task>[];
  readonly verdicts: ArchivableNotes<ValidationNote>;
}

/**
 * Keeps the commits of sessions that are archived alive where the base branch doesn't, and drops the refs that
 * kept them for the time the session was open.
 */
export async function planArchivedCommitRefs(
  { context, commonDir, objectFormat, catFile }: StoreOptions & { readonly catFile: CatFile },
  subjects: readonly Subject[],
): Promise<RefPublication> {
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  const chains = new KeptCommitChains(catFile, objectFormat);
  const commands: RefCommand[] = [];
  const objects: UnwrittenObject[] = [];
  for (const subject of subjects) {
    const refs = await listKeptCommitRefs(git, subject.id);
    const open = await keptBelow(keptRefsRoot, subject.id, { refs, chains });
    const archived = await keptBelow(archivedKeptRefsRoot, subject.id, { refs, chains });
    const named = new Set([...commitsOf(subject), ...open.chain.kept]);
    const tips = await findUnmergedCommits(git, [...named], subject.session?.base_branch ?? null);
    const longer = await chains.extend(subject.id, archived.chain, tips);
    const { ref, chain } = archived;
    objects.push(...longer.objects);
    if (longer.tip !== chain.tip && longer.tip !== null)
      commands.push({ ref, old: refs.get(ref) ?? null, new: longer.tip });
    const gone = [...refs].filter(([name]) => name !== ref);
    commands.push(...gone.map(([name, old]): RefCommand => ({ ref: name, old, new: null })));
  }
  return { commands, objects };
}

async function keptBelow(
  root: string,
  id: SessionId,
  { refs, chains }: { readonly refs: ReadonlyMap<RefName, ObjectId>; readonly chains: KeptCommitChains },
) {
  const ref = `${root}${id}` as RefName;
  return { ref, chain: (await chains.read(refs.get(ref) ?? null)) ?? emptyCommitChain };
}

function commitsOf({ id, session, tasks, verdicts }: Subject): readonly ObjectId[] {
  const own = verdicts.notes.filter(({ value }) => value?.verdicts.some(({ session: judge }) => judge === id));
  return [
    ...tasks.flatMap(({ value }) => value?.commit ?? []),
    ...(session?.changesets.map(({ commit }) => commit) ?? []),
    ...own.map(({ key }) => key),
  ];
}

/** One ref with entries added and removed as they are, as one new commit; as it was without any. */
export function commitNoteTreeEdits<T>(
  state: RefState<T>,
  edits: readonly TreeEdit<StoredNote<T>>[],
  { change, context }: { readonly change: NonStateAuditEntry; readonly context: ChangeContext },
): RefState<T> {
  if (edits.length === 0) return state;
  const root = editNoteTreeChecked(state, edits, context.sink);
  const message = renderAuditMessage(change, { actor: context.actor, host: context.host, rev: null });
  // The last note may have gone: git misses even an empty tree.
  const tree = root?.oid ?? context.sink('tree', '').oid;
  const tip = context.sink(
    'commit',
    renderStateCommit(tree, state.tip === null ? [] : [state.tip], message, context),
  ).oid;
  return { ...state, tip, root };
}
