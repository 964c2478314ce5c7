import type { Config } from '../../domain/config/config.ts';
import type { Io } from '../../domain/shown/io.ts';
import { type MemoryProvider, noMemory } from '../../domain/state/memory.ts';
import { openNotesMemory } from '../../store/notes-memory.ts';
import type { Looking } from './look-at-state.ts';

/** The memory that is configured. */
export function openMemory(
  { memory }: Config,
  io: Io,
  { repository, idents }: Pick<Looking, 'repository' | 'idents'>,
): MemoryProvider {
  if (memory.provider === 'none') return noMemory;
  const { commonDir, objectFormat } = repository;
  return openNotesMemory({ context: { cwd: io.cwd, env: io.env }, idents, commonDir, objectFormat });
}
