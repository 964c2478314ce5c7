import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObjectId } from '../../../lib/domain/ids.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makeUnwrittenObject } from '../../../lib/git/objects/make-object.ts';
import { type TaskNoteIndex, updateTaskNoteIndex } from '../../../lib/store/notes/indexed-state.ts';
import { taskNoteKind } from '../../../lib/store/notes/note-kinds.ts';
import { editNoteTree, noteFileMode, notePath, type TreeNode } from '../../../lib/store/notes/note-tree.ts';
import { StoredNote } from '../../../lib/store/notes/stored-note.ts';
import { makeRandom, type Random } from '../../support/random.ts';
import { makeTask } from '../../support/tasks.ts';

type Root = TreeNode<StoredNote<Task>> | null;

test('STA-7 an index that is brought along says what one made anew does, also where keys are filed twice', () => {
  const random = makeRandom(11);
  let root: Root = null;
  let index: TaskNoteIndex = new Map();
  for (let step = 0; step < 400; step += 1) {
    const edits = new Map(
      Array.from({ length: random.int(1, 6) }, () => {
        const at = random.int(0, 11);
        const path = random.int(0, 4) === 0 ? [keyOf(at)] : notePath(keyOf(at));
        return [path.join('/'), { path, entry: random.int(0, 3) === 0 ? null : entryOf(at, random) }];
      }),
    );
    const next: Root = editNoteTree(root, [...edits.values()], (type, content) =>
      makeUnwrittenObject('sha1', type, content),
    );
    index = updateTaskNoteIndex(index, root, next);
    root = next;
    assert.equal(listed(index), listed(updateTaskNoteIndex(new Map(), null, root)), `step ${step}`);
  }
});

function keyOf(at: number): ObjectId {
  return makeUnwrittenObject('sha1', 'blob', `key ${at}`).oid;
}

function entryOf(at: number, random: Random) {
  const task = makeTask(`task-${at}`, { title: `Title ${random.int(0, 1_000)}` });
  const blob = makeUnwrittenObject('sha1', 'blob', JSON.stringify(task)).oid;
  const note = StoredNote.written(taskNoteKind, { key: keyOf(at), blob }, { ...task }, task);
  return { mode: noteFileMode, oid: blob, tree: null, note };
}

function listed(index: TaskNoteIndex): unknown {
  return [...index]
    .filter(([, notes]) => notes.length > 0)
    .map(([session, notes]) => [session, notes.map(({ blob }) => blob)]);
}

test.run();
