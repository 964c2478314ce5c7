import * as z from 'zod';
import type { AgentEndNote } from '../../domain/ports/git-cells.ts';
import { agentRunSchema } from '../../domain/state/session-schema.ts';

const endNoteSchema = z.object({ run: agentRunSchema, text: z.string(), notes: z.string() });

/** Parses the note of recordAgentEnd in a cell's record; null: it is none. */
export function parseAgentEndNote(noted: unknown): AgentEndNote | null {
  return endNoteSchema.safeParse(noted).data ?? null;
}
