import * as z from 'zod';
import type { EndNote } from '../../domain/ports/git-cells.ts';
import { agentRunSchema } from '../../domain/state/session.ts';

const endNoteSchema = z.object({ run: agentRunSchema, text: z.string(), notes: z.string().default('') });

/** What noteCellEnd wrote into a cell's record; null: it is nothing of that. */
export function parseCellEnd(noted: unknown): EndNote | null {
  return endNoteSchema.safeParse(noted).data ?? null;
}
