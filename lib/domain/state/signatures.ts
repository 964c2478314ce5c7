import * as z from 'zod';
import { canonicalJson } from '../../util/canonical-digest.ts';
import type { SessionId } from '../ids.ts';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { sessionIdSchema } from './id-schemas.ts';

/** The namespace of signatures: one made for commits, mail or anything else is none over decisions. */
export const signatureNamespace = 'git-flame';

// A program has to be started for each: more than people who share a session need.
export const mostSignaturesOfSession = 20;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** Decisions of one clone about a session, signed by its person. */
const sealSchema = z.object({
  /** The first commit of the branch the session began on: the same in every clone, and in no other repository. */
  repository: objectId,
  /** The person's email, as git knows it. */
  by: z.string().regex(/^[^\s"*?!,#]{1,200}$/),
  at: lineSchema(40),
  /** The clone, see cloneName. */
  place: lineSchema(200),
  /** Digests of decisions that hold, in order. */
  decisions: z.array(digest).max(100_000),
  /** Digests of those that were used up or taken back. */
  settled: z.array(digest).max(100_000),
  /** Armored. */
  signature: textSchema(20_000),
});
export type SessionSignature = Readonly<z.infer<typeof sealSchema>>;

export const signatureNoteSchema = z.object({
  v: z.literal(1),
  rev: z.int().min(1),
  session: sessionIdSchema,
  /** One of each clone. */
  seals: z.array(sealSchema),
});
export type SignatureNote = Readonly<z.infer<typeof signatureNoteSchema>>;

/** A signature that does not count. */
export interface RefusedSignature {
  readonly session: SessionId;
  /** Its claimed author. */
  readonly by: string;
  readonly why: string;
}

/** Exactly what is signed; nothing of it can be taken to another session, repository or person. */
export function renderSignedSessionText(session: SessionId, seal: Omit<SessionSignature, 'signature'>): string {
  const { repository, by, at, place, decisions, settled } = seal;
  return `git-flame decisions v1\n${canonicalJson({ session, repository, by, at, place, decisions, settled })}\n`;
}
