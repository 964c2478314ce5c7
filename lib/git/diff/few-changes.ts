import type { ObjectId } from '../../domain/ids.ts';
import type { ChangedFile, TreeChange } from '../../domain/state/patch.ts';
import { type ObjectSource, required } from '../objects/object-source.ts';
import { readTreeChanges } from './tree-changes.ts';

const submoduleMode = '160000';
const noMode = '000000';

// What is read as a whole, to find out what is text: beyond that git is faster.
const mostFiles = 100;
const mostBytes = 256 * 1024;
// As far as git looks for a NUL.
const lookedAt = 8_000;

/** What readChangedFiles tells of two commits that differ in few and small files, without a process; null of others. */
export async function readFewChanges(
  objects: ObjectSource,
  base: ObjectId,
  tip: ObjectId,
): Promise<readonly ChangedFile[] | null> {
  const changes = await readTreeChanges(objects, base, tip);
  if (changes.length > mostFiles) return null;
  const files: ChangedFile[] = [];
  for (const change of changes) {
    const [before, after] = [
      await contentOf(objects, change.oldMode, change.oldBlob),
      await contentOf(objects, change.mode, change.blob),
    ];
    if (before === null || after === null) return null;
    files.push({
      path: change.path,
      status: statusOf(change),
      oldMode: change.oldMode,
      newMode: change.mode,
      oldOid: change.oldBlob ?? absent(base),
      newOid: change.blob ?? absent(base),
      isBinary: isBinary(before) || isBinary(after),
      size: after.length,
    });
  }
  return files;
}

function statusOf({ mode, oldMode, blob, oldBlob }: TreeChange): ChangedFile['status'] {
  if (oldMode === noMode) return 'added';
  if (mode === noMode) return 'deleted';
  if (mode.slice(0, 3) !== oldMode.slice(0, 3)) return 'type-changed';
  return blob === oldBlob ? 'mode-changed' : 'modified';
}

const nothing = Buffer.alloc(0);

/** Nothing of what isn't there, and of a submodule; null: more than is read here. */
async function contentOf(objects: ObjectSource, mode: string, blob: ObjectId | null): Promise<Buffer | null> {
  if (blob === null || mode === submoduleMode) return nothing;
  if ((await required(blob, objects.info(blob))).size > mostBytes) return null;
  return (await required(blob, objects.read(blob))).bytes;
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, lookedAt).includes(0);
}

/** The id by which git names what isn't there. */
function absent(oid: ObjectId): ObjectId {
  return oid.replace(/./g, '0') as ObjectId;
}
