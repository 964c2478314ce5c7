import { join } from 'node:path';
import type { Snapshot, Store, TransactResult } from '../domain/ports/store-port.ts';
import { CatFile } from '../git/process/cat-file.ts';
import { signatureNotes, stateRefs } from './notes/note-kinds.ts';
import { listNotes } from './notes/note-tree.ts';
import { readLog } from './notes/read-log.ts';
import { readTips } from './notes/read-tips.ts';
import { readSideRef } from './notes/side-ref.ts';
import { StateSnapshot } from './notes/state.ts';
import { StateReader } from './notes/state-reader.ts';
import type { StoreOptions } from './store-options.ts';
import { GroupCommit } from './write/group-commit.ts';
import { ObjectWriter } from './write/object-writer.ts';
import { WriteQueue } from './write/write-queue.ts';

/** The state on refs/blueflame/* of a repository. Starts git when first used; `close` ends it. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { context, commonDir, objectFormat } = options;
  const catFile = new CatFile(context, commonDir);
  const reader = new StateReader({ catFile, commonDir, objectFormat });
  const writer = new GroupCommit({
    context,
    commonDir,
    objectFormat,
    catFile,
    reader,
    objects: new ObjectWriter({ context, commonDir, objectFormat, objectsDir: join(commonDir, 'objects') }),
    queue: new WriteQueue(commonDir),
    now: options.now ?? (() => new Date()),
    host: options.hostname ?? null,
  });
  return {
    snapshot: async (): Promise<Snapshot> => new StateSnapshot(await reader.read()),
    look: async (pick) => new StateSnapshot(await reader.look(pick)),
    transact: (decide, options = {}): Promise<TransactResult> => writer.transact(decide, options),
    // Loaded when first needed: most commands have nothing to do with the archive.
    archive: async () => {
      const { readArchive } = await import('./archive/read-archive.ts');
      return new StateSnapshot(await readArchive({ ...options, catFile }, await reader.read()));
    },
    moveToArchive: async (pick, actor) => {
      const { archiveSessions } = await import('./archive/archive-sessions.ts');
      return archiveSessions({ options, catFile, reader }, pick, actor);
    },
    signatures: async () => {
      const { root } = await readSideRef({ ...options, catFile }, signatureNotes);
      return [...listNotes(root)].flatMap(({ value }) => value ?? []);
    },
    log: async (filter) => {
      const tips = await readTips(catFile, commonDir, stateRefs);
      const refs = stateRefs.filter((ref) => tips.get(ref) != null);
      return readLog(context, commonDir, refs, filter);
    },
    close: async () => {
      await writer.close();
      await catFile.close();
    },
  };
}
