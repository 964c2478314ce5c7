import { blackboardPageSchema } from '../../domain/state/blackboard.ts';
import { memoryEntrySchema } from '../../domain/state/memory.ts';
import { sessionSchema } from '../../domain/state/session-schema.ts';
import { signatureNoteSchema } from '../../domain/state/signatures.ts';
import { taskKeys, taskSchema } from '../../domain/state/task-schema.ts';
import { reviewNoteSchema, validationNoteSchema } from '../../domain/state/verdict.ts';

// Readers load this only when a note needs it (load-schemas.ts): loading takes longer than reading a short log.

/** Schemas of the notes of each ref, and the keys this version knows of them: others are kept as they are. */
export const noteSchemas = {
  sessions: { schema: sessionSchema, keys: Object.keys(sessionSchema.shape) },
  tasks: { schema: taskSchema, keys: taskKeys },
  validations: { schema: validationNoteSchema, keys: Object.keys(validationNoteSchema.shape) },
  reviews: { schema: reviewNoteSchema, keys: Object.keys(reviewNoteSchema.shape) },
  blackboard: { schema: blackboardPageSchema, keys: Object.keys(blackboardPageSchema.shape) },
  memory: { schema: memoryEntrySchema, keys: Object.keys(memoryEntrySchema.shape) },
  signatures: { schema: signatureNoteSchema, keys: Object.keys(signatureNoteSchema.shape) },
};
