import * as z from 'zod';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { sessionIdSchema, taskIdSchema } from './id-schemas.ts';

/** Limits of one note, in characters, and of the number of notes. */
export const blackboardNoteLimits = {
  text: 1_500,
  /** Notes of one task's worker. */
  ofTask: 8,
  /** Notes of a session's lead, for all its tasks. */
  ofSession: 64,
  /** Tasks, or paths, that one is meant for. */
  meant: 20,
} as const;

const noteFactsSchema = z.object({
  text: textSchema(blackboardNoteLimits.text),
  /** A person's `Name <email>`, or an agent id. */
  by: lineSchema(300),
  at: lineSchema(40),
  /** The clone it was left in, see cloneName; null where that is not known. */
  place: lineSchema(200).nullable(),
  /** Tasks and paths it is meant for; none of both: all tasks. */
  tasks: z.array(taskIdSchema).max(blackboardNoteLimits.meant),
  paths: z.array(lineSchema(500)).max(blackboardNoteLimits.meant),
});
type NoteFacts = Readonly<z.infer<typeof noteFactsSchema>>;

/** One note left for later tasks; it is never changed, only taken away. */
const leftNoteSchema = z
  .object({
    /** Follows from the rest: the same words of the same moment are one note, and no other can be put in its place. */
    id: z.string(),
    ...noteFactsSchema.shape,
  })
  .refine(({ id, ...facts }) => id === noteId(facts), 'has an id that does not match its content');
export type BlackboardNote = Readonly<z.infer<typeof leftNoteSchema>>;

/** A note with its id. */
export function makeBlackboardNote({ text, by, at, place, tasks, paths }: NoteFacts): BlackboardNote {
  const facts = { text, by, at, place, tasks, paths };
  return { id: noteId(facts), ...facts };
}

function noteId({ text, by, at, place, tasks, paths }: NoteFacts): string {
  return canonicalDigest({ text, by, at, place, tasks, paths }).slice(0, 40);
}

/** The body of a note on refs/blueflame/blackboard. */
export const blackboardPageSchema = z.object({
  v: z.literal(1),
  rev: z.int().min(1),
  session: sessionIdSchema,
  /** The task whose worker left these; null: the lead did. */
  task: taskIdSchema.nullable(),
  /** Oldest first. */
  notes: z.array(leftNoteSchema).max(blackboardNoteLimits.ofSession),
});
export type BlackboardPage = Readonly<z.infer<typeof blackboardPageSchema>>;
