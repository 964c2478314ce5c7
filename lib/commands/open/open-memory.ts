import type { Config } from '../../domain/config/config.ts';
import type { Io } from '../../domain/shown/command.ts';
import { type MemoryProvider, noMemory } from '../../domain/state/memory.ts';
import { openNotesMemory } from '../../store/notes-memory.ts';
import { openBeadsMemory } from './beads-memory.ts';
import type { Looking } from './look-at-state.ts';

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
  { repository, idents, catFile }: Pick<Looking, 'repository' | 'idents' | 'catFile'>,
  { io, root, onTrouble }: MemoryOptions,
): MemoryProvider {
  if (memory.provider === 'none') return noMemory;
  const { commonDir, objectFormat } = repository;
  const context = { cwd: io.cwd, env: io.env };
  const notes = openNotesMemory({ context, idents, catFile, commonDir, objectFormat });
  return beads.enabled ? openBeadsMemory({ place: { env: io.env, root }, notes, onTrouble }) : notes;
}
