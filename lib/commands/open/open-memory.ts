import type { Config } from '../../domain/config/config.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/shown/io.ts';
import { type MemoryProvider, noMemory } from '../../domain/state/memory.ts';
import { openNotesMemory } from '../../store/notes-memory.ts';

/** The memory that is configured. */
export function openMemory(
  { memory }: Config,
  io: Io,
  { commonDir, objectFormat }: GitPort['repository'],
): MemoryProvider {
  if (memory.provider === 'none') return noMemory;
  return openNotesMemory({ context: { cwd: io.cwd, env: io.env }, commonDir, objectFormat });
}
