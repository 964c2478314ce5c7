import { renderReviewForGitLog, renderVerdictForGitLog } from '../../core/changesets/render-for-git-log.ts';
import { type ObjectId, parseRefName } from '../../domain/ids.ts';
import { makeUnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { IndexedState } from '../notes/indexed-state.ts';
import type { NoteKind } from '../notes/note-kinds.ts';
import { editNoteTree, findNotesByKey, listNotes, noteFileMode, notePath } from '../notes/note-tree.ts';
import { readRefOutsideState } from '../notes/state-reader.ts';
import { StoredNote } from '../notes/stored-note.ts';
import type { StoreOptions } from '../store-options.ts';
import { openChangeContext, renderStateCommit } from './apply-change.ts';
import { publishRefs, type RefPublication } from './ref-publisher.ts';

/** Notes that `git log` shows below commits: reviews and verdicts for people. Made of these, and never read back. */
const shownKind: NoteKind<unknown> = {
  ref: parseRefName('refs/blueflame/shown'),
  name: null,
  isPlain: (_): _ is unknown => true,
  anchor: null,
};

type Place = StoreOptions & { readonly catFile: CatFile };
type Reviewed = Pick<IndexedState, 'reviews' | 'validations'>;

/**
 * Brings what `git log` shows up to the reviews there are. Of no clone but this: every one makes its own. What a kill
 * leaves out is made the next time; nothing is done where all is there.
 */
export async function updateReviewNotesForGitLog(place: Place, state: Reviewed): Promise<void> {
  // Errors, a full disk too, are ignored: the reviews themselves are there.
  await bringUp(place, state).catch(() => undefined);
}

async function bringUp(place: Place, state: Reviewed): Promise<void> {
  const { tip } = state.reviews;
  if (tip === null || (await isShown(place, tip))) return;
  await publishRefs({ ...place, reason: 'git flame' }, () => prepare(place, state));
}

/** The commit says which reviews it was made of. */
async function isShown({ catFile }: Place, reviews: ObjectId): Promise<boolean> {
  const tip = await catFile.info(shownKind.ref);
  const commit = tip === null ? null : await catFile.read(tip.oid);
  return commit?.bytes.toString().includes(`\nReviews: ${reviews}\n`) === true;
}

async function prepare(place: Place, { reviews, validations }: Reviewed): Promise<RefPublication> {
  const { changing, objects } = await openChangeContext(place, '');
  const { objectFormat, sink } = changing;
  const shown = await readRefOutsideState(place, shownKind);
  const wanted = new Map<ObjectId, string>();
  for (const { key, value } of listNotes(reviews.root)) {
    if (value === null) continue;
    for (const { commit } of value.tasks) {
      const verdict = findNotesByKey(validations.root, commit)[0]?.note.value?.verdicts.at(-1);
      if (verdict !== undefined) wanted.set(commit, renderVerdictForGitLog(verdict));
    }
    wanted.set(key, renderReviewForGitLog(value));
  }
  const edits = [...wanted].flatMap(([key, text]) => {
    const { oid } = makeUnwrittenObject(objectFormat, 'blob', text);
    if (findNotesByKey(shown.root, key)[0]?.note.blob === oid) return [];
    sink('blob', text);
    const note = StoredNote.written(shownKind, { key, blob: oid }, {}, null);
    return [{ path: notePath(key), entry: { mode: noteFileMode, oid, tree: null, note } }];
  });
  const root = editNoteTree(shown.root, edits, sink);
  const message = `shown: reviews and verdicts as git log shows them\n\nReviews: ${reviews.tip}\n`;
  const commit = sink('commit', renderStateCommit(root?.oid ?? null, [], message, changing));
  const commands = [{ ref: shownKind.ref, old: shown.tip, new: commit.oid }];
  return { objects: [...objects.values()], commands };
}
