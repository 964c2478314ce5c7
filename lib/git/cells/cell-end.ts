import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { EndNote } from '../../domain/ports/git-cells.ts';
import { agentRunSchema } from '../../domain/state/session.ts';
import { cellEndFile } from './paths.ts';

const endNoteSchema = z.object({ run: agentRunSchema, text: z.string(), notes: z.string().default('') });

/** What noteCellEnd wrote; null if it didn't. */
export function cellEnd(commonDir: string, id: string): EndNote | null {
  try {
    return endNoteSchema.parse(JSON.parse(readFileSync(cellEndFile(commonDir, id), 'utf8')));
  } catch {
    return null;
  }
}
