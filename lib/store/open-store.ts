import type { Snapshot, TransactResult } from '../domain/ports/store-port.ts';
import type { Task } from '../domain/state/task-schema.ts';
import { CatFile } from '../git/process/cat-file.ts';
import { openStateSnapshot, StateSnapshot } from './notes/indexed-state.ts';
import {
  computeNoteKey,
  sessionNoteKind,
  signatureNoteKind,
  stateRefs,
  taskAnchor,
  taskNoteKind,
} from './notes/note-kinds.ts';
import { listNotes } from './notes/note-tree.ts';
import { readLog } from './notes/read-state-log.ts';
import { readTips } from './notes/read-tips.ts';
import { readRefOutsideState, StateReader } from './notes/state-reader.ts';
import type { LocalStore, StoreOptions, StoreParts, StoreWriter } from './store-options.ts';

/** The state on refs/blueflame/* of a repository. Starts git when first used; `close` ends it. */
export async function openStore(options: StoreOptions): Promise<LocalStore> {
  const { context, commonDir, objectFormat, now = () => new Date(), hostname: host = null } = options;
  const catFile = options.catFile ?? new CatFile(context, commonDir);
  const reader = new StateReader({ catFile, commonDir, objectFormat });
  const parts: StoreParts = { ...options, catFile, reader, now, host };
  // Commands that only read load nothing that writes.
  let writer: Promise<StoreWriter> | null = null;
  const openedWriter = (): Promise<StoreWriter> => {
    writer ??= import('./write/grouped-writer.ts').then(({ GroupedStoreWriter }) => new GroupedStoreWriter(parts));
    return writer;
  };
  let endWatch = (): void => undefined;
  return {
    // An error here is reported to the first caller that reads.
    begin: () => void catFile.info(sessionNoteKind.ref).catch(() => undefined),
    writeThrough: (make) => {
      const before = writer;
      const next = make(parts);
      writer = Promise.resolve({
        transact: (...asked) => next.transact(...asked),
        close: async () => {
          await next.close();
          await (await before)?.close();
        },
      });
      return next;
    },
    snapshot: async (): Promise<Snapshot> => openStateSnapshot(await reader.read()),
    readOneSession: (pick) => reader.look(pick),
    transact: async (decide): Promise<TransactResult> => (await openedWriter()).transact(decide),
    watch: async (onChange) => {
      const { watchRefs } = await import('../git/refs/watch-refs.ts');
      endWatch();
      endWatch = watchRefs(commonDir, onChange);
    },
    readFormerTask: (task) => findFormer(parts, task),
    // Loaded when first needed: most commands have nothing to do with the archive.
    archive: async () => {
      const { readArchive } = await import('./archive/read-archive.ts');
      return new StateSnapshot(await readArchive(parts, await reader.read()));
    },
    moveToArchive: async (pick, actor) => {
      const { archiveSessions } = await import('./archive/archive-sessions.ts');
      return archiveSessions({ options, catFile, reader }, pick, actor);
    },
    signatures: async () => {
      const { root } = await readRefOutsideState(parts, signatureNoteKind);
      return [...listNotes(root)].flatMap(({ value }) => value ?? []);
    },
    log: async (filter) => {
      const tips = await readTips(catFile, commonDir, stateRefs);
      const refs = stateRefs.filter((ref) => tips.get(ref) != null);
      return readLog(context, commonDir, refs, filter);
    },
    close: async () => {
      endWatch();
      const wrote = writer;
      writer = null;
      await (await wrote)?.close();
      // Shows reviews that came by another way than this writer's own.
      const state = wrote === null ? null : await reader.read().catch(() => null);
      if (state !== null)
        await (await import('./write/update-review-notes.ts')).updateReviewNotesForGitLog(parts, state);
      if (catFile !== options.catFile) await catFile.close();
    },
  };
}

/** The task as it was one change before. */
async function findFormer(parts: StoreParts, task: Task): Promise<Task | null> {
  const { findNewestWantedVersions } = await import('./admission/note-history.ts');
  const key = computeNoteKey(parts.objectFormat, taskAnchor(task.session, task.id));
  const isFormer = ({ rev }: Task): boolean => rev === task.rev - 1;
  const found = await findNewestWantedVersions(parts, taskNoteKind, new Map([[task, key]]), isFormer);
  return found.get(task) ?? null;
}
