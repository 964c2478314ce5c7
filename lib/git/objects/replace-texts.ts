import { join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import { findInTree } from './find-in-tree.ts';
import type { GitAccess } from './git-access.ts';
import { writeLooseObject } from './loose-object.ts';
import { makeObject } from './make-object.ts';
import { defaultObjectSettings } from './object-file.ts';
import { replaceEntries, toBytes } from './transplant.ts';

/** The tree of a commit with other texts in some of its files, which keep their modes. Throws an Error where one is not there. */
export async function replaceTexts(
  access: GitAccess,
  { oid: commit, tree }: { readonly oid: ObjectId; readonly tree: ObjectId },
  texts: ReadonlyMap<string, string>,
): Promise<ObjectId> {
  const rows = await findInTree(access.objects, commit, [...texts.keys()]);
  const edits = [...texts].map(([path, text]) => {
    const row = rows.get(path);
    if (row === undefined) throw new Error(`${path} is not in ${commit}`);
    const made = makeObject(access.repository.objectFormat, 'blob', text);
    writeLooseObject(join(access.repository.commonDir, 'objects'), made, defaultObjectSettings);
    return { path: toBytes(path).split('/'), row: { ...row, oid: made.oid } };
  });
  const made = await replaceEntries(access, tree, edits);
  if (made === null) throw new Error(`${[...texts.keys()].join(', ')} can't be replaced in ${commit}`);
  return made;
}
