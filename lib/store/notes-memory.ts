import { canonicalText } from '../core/merge-values.ts';
import type { MemoryEntry, MemoryProvider } from '../domain/memory.ts';
import type { Change } from '../domain/store-port.ts';
import { CatFile } from '../git/cat-file.ts';
import { makeObject, type NewObject } from '../git/loose-object.ts';
import { anchored, writeNotes } from './apply-change.ts';
import { readCommitIdentity } from './commit-identity.ts';
import { memoryAnchor, memoryNotes } from './note-kinds.ts';
import { listNotes } from './note-tree.ts';
import { type Publication, RefPublisher } from './ref-publisher.ts';
import { readSideRef } from './side-ref.ts';
import { onlyNote, type RefState } from './state.ts';
import type { StoreOptions } from './store-options.ts';

/** Memory as notes on refs/blueflame/memory: one commit for what is saved together, by compare-and-swap. */
export function openNotesMemory(options: StoreOptions): MemoryProvider {
  return {
    name: 'notes',
    load: () =>
      withCatFile(options, async (catFile) =>
        readable(await readSideRef({ ...options, catFile }, memoryNotes)),
      ),
    save: (entries, actor) =>
      withCatFile(options, async (catFile) => {
        const publisher = new RefPublisher({ ...options, reason: 'git flame memory' });
        try {
          await publisher.publish(async () =>
            prepare(await readSideRef({ ...options, catFile }, memoryNotes), { entries, actor }, options),
          );
        } finally {
          await publisher.close();
        }
      }),
  };
}

async function withCatFile<T>(options: StoreOptions, work: (catFile: CatFile) => Promise<T>): Promise<T> {
  const catFile = new CatFile(options.context, options.commonDir);
  try {
    return await work(catFile);
  } finally {
    await catFile.close();
  }
}

function readable({ root }: RefState<MemoryEntry>): readonly MemoryEntry[] {
  return [...listNotes(root)].flatMap(({ value }) => value ?? []);
}

async function prepare(
  state: RefState<MemoryEntry>,
  { entries, actor }: { readonly entries: readonly MemoryEntry[]; readonly actor: string },
  { context, objectFormat, hostname, now = () => new Date() }: StoreOptions,
): Promise<Publication | null> {
  const writes = entries
    .map((entry) => ({ entry, ...anchored(objectFormat, memoryAnchor(entry.session, entry.task)) }))
    .filter(({ key, entry }) => !isKnown(onlyNote(state, key)?.value ?? null, entry));
  const [first] = writes;
  if (first === undefined) return null;
  const objects = new Map<string, NewObject>();
  const change: Change = {
    subject: `memory: ${writes.length} ${writes.length === 1 ? 'entry' : 'entries'} of ${first.entry.session}`,
    about: first.entry.session,
  };
  const next = writeNotes(
    state,
    writes.map(({ entry, key, anchor }) => ({
      ...{ key, anchor },
      next: (_: MemoryEntry | null, rev: number) => ({ ...entry, rev }),
    })),
    change,
    {
      ...{ actor, host: hostname ?? null, now: now(), objectFormat },
      identity: await readCommitIdentity(context),
      sink: (type, content) => {
        const object = makeObject(objectFormat, type, content);
        objects.set(object.oid, object);
        return object;
      },
    },
  );
  const commands = next.tip === null ? [] : [{ ref: state.kind.ref, old: state.tip, new: next.tip }];
  return { objects: [...objects.values()], commands };
}

/** The same but for how often it was written. */
function isKnown(stored: MemoryEntry | null, entry: MemoryEntry): boolean {
  return stored !== null && canonicalText({ ...stored, rev: entry.rev }) === canonicalText(entry);
}
