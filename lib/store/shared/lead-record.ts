import * as z from 'zod';
import type { LeadRecord } from '../../core/machines/known-leads.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { makeObject, type NewObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { stateRoot } from '../sync/remote.ts';
import { renderCommit } from '../write/apply-change.ts';
import type { ChangeContext } from '../write/note-write.ts';

/** Named as if the remote had them: they move with what was judged there. */
export const leadsRoot = `${stateRoot}leads/`;

const recordSchema = z.object({
  v: z.literal(1),
  last: z.object({ lead: z.string(), term: z.int() }).nullable(),
  names: z.array(z.string()),
});

/** Who led as a clone keeps it; null: it can't be read. */
export async function readLeads(catFile: CatFile, tip: ObjectId): Promise<LeadRecord | null> {
  const text = (await catFile.read(tip))?.bytes.toString() ?? '';
  const [, , ...body] = text.split('\n\n');
  try {
    const { last, names } = recordSchema.parse(JSON.parse(body.join('\n\n')));
    return { last, names };
  } catch {
    return null;
  }
}

/** One commit without a parent, so that what was kept before goes. */
export function makeLeads(record: LeadRecord, change: ChangeContext): readonly [NewObject, NewObject] {
  const tree = makeObject(change.objectFormat, 'tree', '');
  const message = `who led\n\n${JSON.stringify({ v: 1, ...record }, null, 2)}\n`;
  return [tree, makeObject(change.objectFormat, 'commit', renderCommit(tree.oid, [], message, change))];
}
