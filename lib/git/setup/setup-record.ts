import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { FlameError } from '../../domain/flame-error.ts';
import { withLock } from '../../util/owned-lock.ts';
import { replaceFile } from '../../util/write-files.ts';

const fileEditSchema = z.object({
  /** Relative to the common git directory. */
  file: z.enum(['config', 'info/exclude']),
  /** The whole file before it, as base64; null: there was none. */
  before: z.string().nullable(),
  /** sha256 of the whole file afterwards: while it holds, the edit can be taken back byte for byte. '': not made yet. */
  after: z.string(),
  /** The meaning of the edit, for a file that others changed since: lines added, settings made (former: null, none). */
  lines: z.array(z.string()),
  settings: z.array(z.object({ key: z.string(), value: z.string(), former: z.string().nullable() })),
});
export type FileEdit = Readonly<z.infer<typeof fileEditSchema>>;

const hooksPlaceSchema = z.object({
  /** usual: `<common>/hooks`. own: a folder beside the record, to which core.hooksPath leads. */
  kind: z.enum(['usual', 'own']),
  /** Where git looked before, maybe relative to each work tree; null: the same folder, names with a suffix. */
  formerDir: z.string().nullable(),
  /** Whether the folder was made for them. */
  madeDir: z.boolean(),
});
/** Where our hooks are. */
export type HooksPlace = Readonly<z.infer<typeof hooksPlaceSchema>>;

const setupRecordSchema = z.object({
  v: z.literal(1),
  /** Oldest first. */
  edits: z.array(fileEditSchema),
  hooks: hooksPlaceSchema.nullable(),
});
/** The changes to a repository's own files, recorded so that they can be undone. */
type SetupRecord = Readonly<z.infer<typeof setupRecordSchema>>;

/** Not below `<common>/blueflame`, whose content can be deleted at any time. */
export function setupFolder(commonDir: string): string {
  return join(commonDir, 'blueflame-init');
}

/** Reads the record; empty where there is none. Throws FlameError `setup-record-unreadable`. */
export function readSetupRecord(commonDir: string): SetupRecord {
  const file = recordFile(commonDir);
  try {
    return setupRecordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { v: 1, edits: [], hooks: null };
    }
    throw new FlameError({
      kind: 'environment',
      code: 'setup-record-unreadable',
      message: `${file} can't be read. It records what git flame changed in this repository.`,
      hints: [`mv ${JSON.stringify(file)} ${JSON.stringify(`${file}.bad`)}`],
      cause: error,
    });
  }
}

/** Writes the record as a whole; one that says nothing is removed with its folder. */
export function writeSetupRecord(commonDir: string, record: SetupRecord): void {
  const file = recordFile(commonDir);
  if (record.edits.length === 0 && record.hooks === null) {
    rmSync(setupFolder(commonDir), { recursive: true, force: true });
    return;
  }
  mkdirSync(setupFolder(commonDir), { recursive: true });
  replaceFile(file, `${JSON.stringify(record, null, 2)}\n`, 0o600);
}

/** Keeps two commands from changing a repository's set-up at once, for the time of `work`, which must be short. */
export function withSetupLock<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
  const retries = { retries: 200, factor: 1.2, minTimeout: 10, maxTimeout: 100 };
  return withLock(join(commonDir, 'blueflame-init.lock'), { staleMs: 5_000, retries }, work);
}

function recordFile(commonDir: string): string {
  return join(setupFolder(commonDir), 'record.json');
}
