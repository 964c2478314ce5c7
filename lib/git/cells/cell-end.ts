import * as z from 'zod';
import type { EndNote } from '../../domain/ports/git-cells.ts';
import { agentRunSchema } from '../../domain/state/session.ts';

const endNoteSchema = z.object({ run: agentRunSchema, text: z.string(), notes: z.string().default('') });

/** Parses the note of noteCellEnd in a cell's record; null: it is none. */
export function parseCellEnd(noted: unknown): EndNote | null {
  return endNoteSchema.safeParse(noted).data ?? null;
}
