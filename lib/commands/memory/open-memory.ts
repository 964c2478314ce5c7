import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../domain/config/config-schema.ts';
import {
  emptyMemoryProvider,
  type MemoryEntry,
  type MemoryProvider,
  memoryEntrySchema,
} from '../../domain/state/memory.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { openMemoryInGitNotes } from '../../store/notes-memory.ts';
import { errorMessage } from '../../util/error-text.ts';
import { isJsonRecord } from '../../util/json.ts';
import type { NotesReadContext } from '../context/open-notes-context.ts';
import { type BeadsPlace, hasBeads, makeBeadsCommand, readBeadsVersion, runBeadsCommand } from './run-beads.ts';

interface MemoryOptions {
  readonly io: Io;
  /** The main work tree. */
  readonly root: string;
  /** Hears why Beads is not used, where it is configured. */
  onTrouble(why: string): void;
}

/** The memory that is configured. */
export function openMemory(
  { memory, beads }: Config,
  { repository, idents, catFile }: Pick<NotesReadContext, 'repository' | 'idents' | 'catFile'>,
  { io, root, onTrouble }: MemoryOptions,
): MemoryProvider {
  if (memory.provider === 'none') return emptyMemoryProvider;
  const { commonDir, objectFormat } = repository;
  const context = { cwd: io.cwd, env: io.env };
  const notes = openMemoryInGitNotes({ context, idents, catFile, commonDir, objectFormat });
  return beads.enabled ? openBeadsMemory({ place: { env: io.env, root }, notes, onTrouble }) : notes;
}

interface BeadsOptions {
  readonly place: BeadsPlace;
  /** Takes what Beads can't. */
  readonly notes: MemoryProvider;
  /** Hears, once, why Beads is not used. */
  onTrouble(why: string): void;
}

/** One entry as Beads has it. */
interface Bead {
  readonly id: string;
  readonly isClosed: boolean;
  readonly entry: MemoryEntry;
}

const labels = { result: 'flame-result', failure: 'flame-failure', summary: 'flame-session' } as const;
// An entry is one value: the fields of a bead are read by other tools and needn't fit it.
const entryKey = 'flame_entry';
const mostBeads = 2_000;

/**
 * Stores memory as beads that are closed as soon as they are made: no agent works on them, and no task is taken from
 * there. From the first failure of Beads on, which is warned of once, git notes are used; entries that notes already
 * hold are loaded too.
 */
export function openBeadsMemory({ place, notes, onTrouble }: BeadsOptions): MemoryProvider {
  let broken = false;
  let proven: Promise<string> | null = null;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (broken) return null;
    try {
      proven ??= requireBeads(place);
      await proven;
      return await work();
    } catch (error) {
      broken = true;
      onTrouble(errorMessage(error));
      return null;
    }
  };
  return {
    name: 'beads',
    load: async () => {
      const found = await attempt(() => readBeads(place));
      return newest([...(await notes.load()), ...(found ?? []).map(({ entry }) => entry)]);
    },
    save: async (entries, actor) => {
      const isSaved = await attempt(async () => {
        await saveBeads(place, entries, actor);
        return true;
      });
      if (isSaved === null) await notes.save(entries, actor);
    },
  };
}

async function requireBeads(place: BeadsPlace): Promise<string> {
  const version = await readBeadsVersion(place);
  if (!hasBeads(place)) throw new Error(`${place.root} has no Beads workspace: ${makeBeadsCommand}`);
  return version;
}

async function readBeads(place: BeadsPlace): Promise<readonly Bead[]> {
  const listed = await runBeadsCommand(place, [
    '--readonly',
    'list',
    '--all',
    '-n',
    String(mostBeads),
    '--sort',
    'updated',
    ...['--label-any', Object.values(labels).join(',')],
  ]);
  if (listed === null) return [];
  if (!Array.isArray(listed)) throw new Error('bd list did not print a list');
  return listed.flatMap((bead) => readBead(bead) ?? []);
}

/** null: it holds no entry, or one that can't be read. */
function readBead(bead: unknown): Bead | null {
  if (!isJsonRecord(bead) || typeof bead.id !== 'string') return null;
  const metadata = isJsonRecord(bead.metadata) ? bead.metadata : null;
  const text = metadata?.[entryKey];
  try {
    const entry = memoryEntrySchema.safeParse(JSON.parse(typeof text === 'string' ? text : ''));
    return entry.success ? { id: bead.id, isClosed: bead.status === 'closed', entry: entry.data } : null;
  } catch {
    return null;
  }
}

async function saveBeads(place: BeadsPlace, entries: readonly MemoryEntry[], actor: string): Promise<void> {
  const known = await readBeads(place);
  for (const entry of entries) {
    const same = known.filter((bead) => keyOf(bead.entry) === keyOf(entry));
    const last = [...same].sort((a, b) => b.entry.rev - a.entry.rev)[0];
    const isKept = last !== undefined && textOf({ ...last.entry, rev: entry.rev }) === textOf(entry);
    if (isKept && last.isClosed) continue;
    const id = isKept ? last.id : await makeBead(place, { ...entry, rev: (last?.entry.rev ?? 0) + 1 }, actor);
    await runBeadsCommand(place, [
      '--actor',
      actor,
      'close',
      id,
      '--reason',
      entry.kind === 'failure' ? `failed: ${entry.status}` : 'done',
    ]);
  }
}

async function makeBead(place: BeadsPlace, entry: MemoryEntry, actor: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flame-bead-'));
  try {
    const file = join(folder, 'metadata.json');
    await writeFile(file, JSON.stringify({ [entryKey]: textOf(entry) }), { mode: 0o600 });
    const words = ['--actor', actor, 'create', `[${entry.kind}] ${entry.title}`, '-t', 'task', '-p', '4'];
    const made = await runBeadsCommand(
      place,
      [...words, '-l', `flame,${labels[entry.kind]}`, '--metadata', `@${file}`, '--body-file', '-'],
      entry.notes,
    );
    const id = isJsonRecord(made) ? made.id : undefined;
    if (typeof id !== 'string') throw new Error('bd create did not print the id of what it made');
    return id;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function keyOf({ session, task }: MemoryEntry): string {
  return `${session}/${task ?? ''}`;
}

/** Its fields in one order, wherever it was read. */
function textOf(entry: MemoryEntry): string {
  return JSON.stringify(memoryEntrySchema.parse(entry));
}

/** Of each session and task the version that was written last. */
function newest(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  const found = new Map<string, MemoryEntry>();
  for (const entry of entries) {
    const other = found.get(keyOf(entry));
    const isNewer = other === undefined || entry.at > other.at || (entry.at === other.at && entry.rev >= other.rev);
    if (isNewer) found.set(keyOf(entry), entry);
  }
  return [...found.values()];
}
