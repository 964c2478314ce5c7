import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import { type SignOfLife, signOfLifeSchema } from '../../domain/state/machine.ts';
import { makeObject, type NewObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { machinesRoot } from '../sync/remote.ts';
import { renderCommit } from '../write/apply-change.ts';
import type { ChangeContext } from '../write/note-write.ts';

// More is no sign of life of ours.
const maxBytes = 10_000;

export function machineRef(session: SessionId, machine: string): RefName {
  const name = machine.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'machine';
  return `${machinesRoot}${session}/${name}` as RefName;
}

/** One more sign of life: a commit without files on the one before. Two are never the same, so that each moves the ref. */
export function makeSign(
  sign: SignOfLife,
  { parent, count }: { readonly parent: ObjectId | null; readonly count: number },
  context: ChangeContext,
): { readonly tip: ObjectId; readonly objects: readonly NewObject[] } {
  const tree = makeObject(context.objectFormat, 'tree', '');
  const message = `${sign.machine}: sign of life ${count}\n\n${JSON.stringify(sign, null, 2)}\n`;
  const commit = makeObject(context.objectFormat, 'commit', renderCommit(tree.oid, parent, message, context));
  return { tip: commit.oid, objects: [tree, commit] };
}

/** What a machine said of itself, and when by its own clock (ISO 8601); null where that can't be read. */
export async function readSign(
  catFile: CatFile,
  tip: ObjectId,
): Promise<{ readonly sign: SignOfLife; readonly at: string } | null> {
  const object = await catFile.read(tip).catch(() => null);
  if (object === null || object.type !== 'commit' || object.size > maxBytes) return null;
  const text = object.bytes.toString();
  const [, , ...body] = text.split('\n\n');
  const [, seconds = ''] = text.match(/^committer .* (\d{1,11}) [+-]\d{4}$/m) ?? [];
  try {
    const sign = signOfLifeSchema.parse(JSON.parse(body.join('\n\n')));
    return { sign, at: new Date(Number(seconds) * 1_000).toISOString() };
  } catch {
    return null;
  }
}
