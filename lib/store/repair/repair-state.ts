import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { runGitForLines } from '../../git/process/run-git.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { commitNoteTreeEdits } from '../archive/archivable-notes.ts';
import type { RefState } from '../notes/indexed-state.ts';
import { allNoteKinds, type NoteKind } from '../notes/note-kinds.ts';
import { findNotesByKey, listAnchors, listNotes, noteFileMode, notePath, type TreeEdit } from '../notes/note-tree.ts';
import { readRefOutsideState } from '../notes/state-reader.ts';
import { StoredNote } from '../notes/stored-note.ts';
import type { StoreOptions } from '../store-options.ts';
import { openChangeContext } from '../write/apply-change.ts';
import type { NonStateAuditEntry } from '../write/audit-entry.ts';
import { RefPublisher } from '../write/ref-publisher.ts';
import { type Repair, type RepairContext, removeDeadRefLocks, repairRef } from './repair-ref.ts';

/**
 * Repairs what is wrong with the state refs as far as nothing is lost by it: locks of dead gits go, refs that hold
 * something else go back to where they last were sound, notes that can't be read to their last version that can.
 * What a ref held is kept on refs/blueflame-backup/*, what a note held in its history.
 */
export async function repairState(options: StoreOptions & { readonly isDry: boolean }): Promise<readonly Repair[]> {
  const catFile = new CatFile(options.context, options.commonDir);
  const publisher = new RefPublisher({ ...options, reason: 'git flame doctor --repair' });
  const context: RepairContext = { ...options, catFile, publisher };
  try {
    const repairs = [...removeDeadRefLocks(context)];
    for (const kind of allNoteKinds) repairs.push(...(await repairKind<unknown>(context, kind)));
    return repairs;
  } finally {
    await publisher.close();
    await catFile.close();
  }
}

async function repairKind<T>(context: RepairContext, kind: NoteKind<T>): Promise<readonly Repair[]> {
  const first = await reading(context, kind);
  if (first === null) return repairNotes(context, kind);
  const repair = await repairRef(context, kind, first);
  if (!repair.isDone || context.isDry) return [repair];
  return [repair, ...(await repairNotes(context, kind))];
}

/** null: the ref holds notes. */
async function reading<T>(context: RepairContext, kind: NoteKind<T>): Promise<FlameError | null> {
  try {
    await readRefOutsideState(context, kind);
    return null;
  } catch (error) {
    if (error instanceof FlameError && error.code === 'state-corrupt') return error;
    throw error;
  }
}

const versionsLooked = 50;

/** A key whose note can't be used, and the version it can go back to. */
interface Broken<T> {
  readonly key: ObjectId;
  readonly problem: string;
  readonly blobs: readonly ObjectId[];
  readonly good: { readonly note: StoredNote<T>; readonly commit: ObjectId | null } | null;
}

/** Brings notes that can't be read back to their last version that can, by one commit on their ref. */
async function repairNotes<T>(context: RepairContext, kind: NoteKind<T>): Promise<readonly Repair[]> {
  let repairs: readonly Repair[] = [];
  await context.publisher.publish(async () => {
    const state = await readRefOutsideState(context, kind);
    const broken = await findBroken(context, state);
    repairs = broken.map((one) => describe(kind, one));
    const edits = broken.flatMap((one) => editsFor(state, one));
    if (edits.length === 0 || context.isDry) return null;
    const { changing, objects } = await openChangeContext(context, 'git flame doctor');
    const change = changeFor(repairs.filter(({ isDone }) => isDone));
    const next = commitNoteTreeEdits(state, edits, { change, context: changing });
    const commands = next.tip === null ? [] : [{ ref: kind.ref, old: state.tip, new: next.tip }];
    return { objects: [...objects.values()], commands };
  });
  return repairs;
}

async function findBroken<T>(context: RepairContext, state: RefState<T>): Promise<readonly Broken<T>[]> {
  const broken: Broken<T>[] = [];
  for (const key of new Set([...listNotes(state.root)].map((note) => note.key))) {
    const places = findNotesByKey(state.root, key);
    const bad = places.find(({ note }) => note.problem !== null)?.note.problem ?? null;
    if (places.length === 1 && bad === null) continue;
    const problem = places.length > 1 ? `is one of several notes on ${key}` : (bad ?? '');
    const isNewer = places.some(({ note }) => note.isNewer);
    const good = isNewer ? null : ((await bestOf(places)) ?? (await fromHistory(context, state, key, places)));
    broken.push({ key, problem, blobs: places.map(({ note }) => note.blob), good });
  }
  return [...broken, ...(await findLost(context, state))];
}

/** Anchors whose notes are gone. */
async function findLost<T>(context: RepairContext, state: RefState<T>): Promise<readonly Broken<T>[]> {
  const keys = new Set([...listNotes(state.root)].map(({ key }) => key));
  const lost = [...listAnchors(state.root)].filter(({ key }) => !keys.has(key));
  return Promise.all(
    lost.map(async ({ name, key }) => ({
      key,
      problem: `is the anchor of ${name}, whose note is missing`,
      blobs: [key],
      good: await fromHistory(context, state, key, []),
    })),
  );
}

type Places<T> = ReturnType<typeof findNotesByKey<StoredNote<T>>>;

/** Picks the note that was changed most. */
function bestOf<T>(places: Places<T>): Broken<T>['good'] {
  const readable = places.map(({ note }) => note).filter(({ value }) => value !== null);
  const revision = ({ json }: StoredNote<T>): number => Number(json?.rev ?? 0);
  const [note] = readable.sort((a, b) => revision(b) - revision(a) || (a.blob < b.blob ? -1 : 1));
  return note === undefined ? null : { note, commit: null };
}

async function fromHistory<T>(
  context: RepairContext,
  { kind, tip }: RefState<T>,
  key: ObjectId,
  places: Places<T>,
): Promise<Broken<T>['good']> {
  if (tip === null) return null;
  const paths = new Set([notePath(key).join('/'), ...places.map(({ path }) => path.join('/'))]);
  const git = { ...context.context, cwd: context.commonDir, variables: { GIT_DIR: context.commonDir } };
  const commits = await runGitForLines(
    git,
    ['--no-replace-objects', 'log', '-m', `--max-count=${versionsLooked}`, '--format=%H', tip, '--', ...paths],
    { accept: [0, 128] },
  );
  for (const commit of new Set(commits)) {
    for (const path of paths) {
      const object = await context.catFile.read(`${commit}:${path}` as ObjectId).catch(() => null);
      if (object?.type !== 'blob') continue;
      const note = await StoredNote.readWhole(kind, { key, blob: object.oid }, object.bytes, context.objectFormat);
      if (note.value !== null) return { note, commit: commit as ObjectId };
    }
  }
  return null;
}

function editsFor<T>(state: RefState<T>, { key, good }: Broken<T>): readonly TreeEdit<StoredNote<T>>[] {
  if (good === null) return [];
  const { note } = good;
  const entry = { mode: noteFileMode, oid: note.blob, tree: null, note };
  return [
    ...findNotesByKey(state.root, key).map(({ path }) => ({ path, entry: null })),
    { path: notePath(key), entry },
  ];
}

function describe<T>({ ref }: NoteKind<T>, { key, problem, blobs, good }: Broken<T>): Repair {
  const was = `${blobs.join(' and ')} ${problem}`;
  if (good === null)
    return {
      ref,
      isDone: false,
      message: `A note on ${ref} can't be repaired: object ${was}, and no earlier version of it can be read.`,
      hints: blobs.map((blob) => `git cat-file -p ${blob}`),
    };
  const from = good.commit === null ? 'the one with the most changes' : `its version of ${shortId(good.commit)}`;
  return {
    ref,
    isDone: true,
    hints: [],
    message: `The note on ${key} of ${ref} was restored to ${from}: object ${was}, and stays in the history.`,
  };
}

function changeFor(repairs: readonly Repair[]): NonStateAuditEntry {
  return {
    subject: `doctor: ${formatCount(repairs.length, 'note')} restored`,
    body: repairs.map(({ message }) => message).join('\n'),
    transition: 'repair',
  };
}
