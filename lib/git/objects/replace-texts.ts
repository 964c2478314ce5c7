import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { gitText } from '../process/run-git.ts';
import { findInTree } from './find-in-tree.ts';
import { type GitAccess, onObjects } from './git-access.ts';
import { replaceEntries, toBytes } from './transplant.ts';

/** The tree of a commit with other texts in some of its files, which keep their modes. Throws an Error where one is not there. */
export async function replaceTexts(
  access: GitAccess,
  { oid: commit, tree }: { readonly oid: ObjectId; readonly tree: ObjectId },
  texts: ReadonlyMap<string, string>,
): Promise<ObjectId> {
  const rows = await findInTree(access.objects, commit, [...texts.keys()]);
  const edits = await Promise.all(
    [...texts].map(async ([path, text]) => {
      const row = rows.get(path);
      if (row === undefined) throw new Error(`${path} is not in ${commit}`);
      const oid = await gitText(onObjects(access), ['hash-object', '-w', '--stdin'], { input: text });
      return { path: toBytes(path).split('/'), row: { ...row, oid: parseObjectId(oid) } };
    }),
  );
  const made = await replaceEntries(access, tree, edits);
  if (made === null) throw new Error(`${[...texts.keys()].join(', ')} can't be replaced in ${commit}`);
  return made;
}
