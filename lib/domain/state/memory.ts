import * as z from 'zod';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { sessionIdSchema, taskIdSchema } from './id-schemas.ts';

export const memoryProviderNames = ['notes', 'none'] as const;

/** Memory of one session, or of one of its settled tasks. */
export const memoryEntrySchema = z.object({
  v: z.literal(1),
  rev: z.int().min(1),
  /** failure: a task that ended without a result. summary: the session as a whole. */
  kind: z.enum(['summary', 'result', 'failure']),
  session: sessionIdSchema,
  /** null in a summary. */
  task: taskIdSchema.nullable(),
  /** The task's title, or the objective in one line. */
  title: lineSchema(200),
  /** Status of the task, or of the session. */
  status: lineSchema(50),
  /** The paths it was about. */
  paths: z.array(lineSchema(500)).max(100),
  /** The result, or why it failed. */
  notes: textSchema(4_000),
  /** How it went before, oldest first. */
  attempts: z.array(z.object({ attempt: z.int().min(0), result: lineSchema(50), notes: textSchema(2_000) })),
  cost_usd: z.number(),
  tokens: z.number(),
  at: z.string(),
});
export type MemoryEntry = Readonly<z.infer<typeof memoryEntrySchema>>;

/** Where memory is kept from session to session. A provider that throws costs a warning, never the work. */
export interface MemoryProvider {
  readonly name: string;
  /** Keeps entries; one of the same session and task is replaced. `actor` is who did the work. */
  save(entries: readonly MemoryEntry[], actor: string): Promise<void>;
  /** Everything that is known, in any order; entries that can't be read are left out. */
  load(): Promise<readonly MemoryEntry[]>;
}

/** Remembers nothing. */
export const emptyMemoryProvider: MemoryProvider = {
  name: 'none',
  save: async () => undefined,
  load: async () => [],
};
